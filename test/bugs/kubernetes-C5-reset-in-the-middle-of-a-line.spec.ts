import { afterEach, expect, test } from 'vitest';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { configMap, type ReflectorOnDouble, reflectorOnDouble } from '../support/reflector/index.ts';

let on: ReflectorOnDouble;
afterEach(() => on.stop());

test('the half line is not parsed, the watch goes on and the object comes whole', async () => {
  const clock = createFakeClock();
  on = await reflectorOnDouble({ clock });
  const first = await on.double.nextWatch();
  first.send('ADDED', configMap('whole', '101'));
  await on.seen.until(1);
  const line = JSON.stringify({ type: 'ADDED', object: configMap('half', '102') });
  first.raw(line.slice(0, 40));
  first.reset();
  await expect.poll(() => on.reflector.status().state).toBe('failing');
  await clock.advance(1_000);

  const second = await on.double.nextWatch();
  expect(second.params.resourceVersion).toBe('100');
  second.send('ADDED', configMap('whole', '101'));
  second.raw(`${line}\n`);
  await on.seen.until(2);
  expect(on.seen.brief()).toEqual(['appeared whole', 'appeared half']);
  expect(on.lists()).toBe(1);
});

test('a whole line that is no JSON ends the watch, after what came before it was told', async () => {
  const clock = createFakeClock();
  on = await reflectorOnDouble({ clock });
  const first = await on.double.nextWatch();
  first.raw(`${JSON.stringify({ type: 'ADDED', object: configMap('before', '101') })}\n{"type":\n`);
  await on.seen.until(1);
  await expect.poll(() => on.reflector.status().state).toBe('failing');
  await clock.advance(1_000);
  await on.double.nextWatch();
  expect(on.seen.brief()).toEqual(['appeared before']);
});
