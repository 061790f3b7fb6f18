import { afterEach, expect, test } from 'vitest';
import { statusOf } from '../support/api-double/index.ts';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { configMap, listOf, type ReflectorOnDouble, reflectorOnDouble } from '../support/reflector/index.ts';

let on: ReflectorOnDouble;
afterEach(() => on.stop());

test('1,000 objects deleted during a disconnect vanish once each and are no longer held', async () => {
  const all = Array.from({ length: 1_200 }, (_, at) => configMap(`n${at}`, String(at + 1)));
  let items = all;
  let version = '2000';
  on = await reflectorOnDouble({
    clock: createFakeClock(),
    answer: ({ params }) => {
      const from = Number(params.continue ?? 0);
      const next = from + Number(params.limit);
      return listOf(version, items.slice(from, next), next < items.length ? String(next) : undefined);
    },
  });
  const first = await on.double.nextWatch();
  await expect.poll(() => on.reflector.status().objects).toBe(1_200);
  expect(on.lists()).toBe(3);

  items = all.slice(1_000);
  version = '4000';
  first.send('ERROR', statusOf(410, 'Expired', 'too old resource version: 2000 (4000)'));
  const second = await on.double.nextWatch();
  expect(second.params.resourceVersion).toBe('4000');
  const vanished = on.seen.changes.filter(({ type }) => type === 'vanished').map(({ object }) => object.metadata.name);
  expect(vanished).toHaveLength(1_000);
  expect(new Set(vanished).size).toBe(1_000);
  expect(on.reflector.status().objects).toBe(200);
  expect(on.seen.changes).toHaveLength(2_200);
  await first.closed;
});
