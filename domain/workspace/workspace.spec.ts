import { expect, test } from 'vitest';
import { namespacesOf, newWorkspace, updatedSpec, workspaceInfo } from './workspace.ts';

const shop = { id: 'shop', type: 'namespace' };

test('an update keeps what it does not name', () => {
  const current = { name: 'Shop', resources: [shop], dashboardRef: 'main' };
  expect(updatedSpec(current, { name: 'shop-ws', resources: [] })).toEqual({ name: 'Shop', resources: [], dashboardRef: 'main' });
});

test('an empty text clears', () => {
  const current = { name: 'Shop', resources: [shop], dashboardRef: 'main' };
  expect(updatedSpec(current, { name: 'shop-ws', resources: [shop], displayName: '', dashboardRef: '' })).toEqual({
    name: '',
    resources: [shop],
    dashboardRef: '',
  });
});

test('fields a newer release wrote are kept', () => {
  expect(updatedSpec({ later: 1 }, { name: 'w', resources: [] })).toEqual({ later: 1, resources: [] });
});

test('an object without resources is told with null, an empty dashboardRef not at all', () => {
  const object = {
    apiVersion: 'mogenius.com/v1alpha1',
    kind: 'Workspace',
    metadata: { name: 'w', creationTimestamp: '2026-01-02T03:04:05Z' },
  };
  expect(workspaceInfo({ ...object, spec: { dashboardRef: '' } })).toEqual({
    name: 'w',
    creationTimestamp: '2026-01-02T03:04:05Z',
    resources: null,
  });
});

test('only resources of type namespace open a namespace to the audit log', () => {
  const object = newWorkspace(
    { name: 'w', resources: [shop, { id: 'web', type: 'helm', namespace: 'other' }, { type: 'namespace' }] },
    'mogenius',
  );
  expect(namespacesOf(object)).toEqual(['shop']);
});
