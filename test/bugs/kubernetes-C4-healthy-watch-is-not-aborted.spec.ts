import { afterEach, expect, test } from 'vitest';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { configMap, type ReflectorOnDouble, reflectorOnDouble } from '../support/reflector/index.ts';

let on: ReflectorOnDouble;
afterEach(() => on.stop());

test('one event per second for three minutes takes exactly one watch request', async () => {
  const clock = createFakeClock();
  on = await reflectorOnDouble({ clock, silence: 10_000 });
  const watch = await on.double.nextWatch();
  for (let second = 1; second <= 180; second += 1) {
    await clock.advance(1_000);
    watch.send('ADDED', configMap(`n${second}`, String(100 + second)));
    await on.seen.until(second);
  }
  expect([on.lists(), on.watches()]).toEqual([1, 1]);
  expect(on.reflector.status()).toMatchObject({ state: 'watching', objects: 180 });
});
