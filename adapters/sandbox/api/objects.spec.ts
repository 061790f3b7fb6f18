import { expect, test } from 'vitest';
import type { Clock } from '../../../domain/ports/index.ts';
import { Deletion } from './deletion.ts';
import { list } from './list.ts';
import { Objects } from './objects.ts';
import { World } from './world.ts';

let seed = 1;
const clock: Clock = {
  now: () => 1_767_225_600_000,
  monotonic: () => 0,
  random: () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  },
  sleep: () => Promise.resolve(),
};
const how = { dryRun: false, bytes: 0, manager: 'test', subresource: '', validation: 'Ignore', warn: () => {} } as const;

function world(historyLimit: number) {
  const made = new World({ clock, historyLimit, firstResourceVersion: 1_000 });
  const objects = new Objects(made);
  const [namespaces, configMaps] = [made.registry.find('v1', 'namespaces'), made.registry.find('v1', 'configmaps')];
  if (!namespaces || !configMaps) throw new Error('the built-in kinds are missing');
  objects.create(namespaces, '', { metadata: { name: 'default' } }, how);
  return { made, objects, configMaps };
}

test('10,000 objects are held, given in pages of one state and deleted, while history stays bounded', () => {
  const { made, objects, configMaps } = world(1_000);
  const name = (index: number) => `object-${String(index).padStart(5, '0')}`;
  for (let index = 0; index < 10_000; index += 1)
    objects.create(configMaps, 'default', { metadata: { name: name(index) }, data: { a: 'b' } }, how);
  const found: unknown[] = [];
  let token = '';
  do {
    const page = list(made, configMaps, 'default', new URLSearchParams({ limit: '500', continue: token }));
    found.push(...page.items.map((item) => item.metadata.name));
    token = page.continue ?? '';
  } while (token !== '');
  expect([found.length, found[0], found.at(-1)]).toEqual([10_000, 'object-00000', 'object-09999']);
  expect([made.store.revision, made.store.compacted]).toEqual([11_001, 10_001]);
  const deletion = new Deletion(made, objects);
  const options = { uid: '', resourceVersion: '', propagation: '', dryRun: false } as const;
  for (let index = 0; index < 10_000; index += 1) deletion.remove(configMaps, 'default', name(index), options);
  expect(made.store.counts()['/configmaps']).toBe(0);
  expect(made.store.changesAfter('/configmaps', made.store.compacted)).toHaveLength(1_000);
});

test('the same chance makes the same identities', () => {
  const uid = () => {
    seed = 7;
    const { objects, configMaps } = world(10);
    return objects.create(configMaps, 'default', { metadata: { generateName: 'made-' } }, how).metadata;
  };
  const [one, other] = [uid(), uid()];
  expect(one).toEqual(other);
  expect(one.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
