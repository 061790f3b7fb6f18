import { expect, test } from 'vitest';
import { preferred } from './discovery.ts';

const kind = (group: string, version: string, name: string, plural: string) => ({ group, version, kind: name, plural, namespaced: true });

test('each kind once, in the preferred version or the first other that has it', () => {
  const groups = [
    {
      name: 'example.com',
      failed: false,
      versions: [
        { version: 'v2', resources: [kind('example.com', 'v2', 'Thing', 'things')] },
        { version: 'v1', resources: [kind('example.com', 'v1', 'Thing', 'things'), kind('example.com', 'v1', 'Old', 'olds')] },
      ],
    },
  ];
  expect(preferred(groups).kinds.map(({ version, plural }) => `${version}/${plural}`)).toEqual(['v2/things', 'v1/olds']);
});

test('v1 Endpoints are left out, and a group that failed is named', () => {
  const groups = [
    {
      name: '',
      failed: false,
      versions: [{ version: 'v1', resources: [kind('', 'v1', 'Endpoints', 'endpoints'), kind('', 'v1', 'Pod', 'pods')] }],
    },
    { name: 'metrics.k8s.io', failed: true, versions: [{ version: 'v1beta1', resources: [] }] },
  ];
  expect(preferred(groups)).toEqual({ kinds: [kind('', 'v1', 'Pod', 'pods')], failed: ['metrics.k8s.io'] });
});
