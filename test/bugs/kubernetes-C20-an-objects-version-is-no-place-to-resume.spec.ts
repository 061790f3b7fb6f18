import { afterEach, expect, test } from 'vitest';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { configMap, type ReflectorOnDouble, reflectorOnDouble } from '../support/reflector/index.ts';

let on: ReflectorOnDouble;
afterEach(() => on.stop());

test('a watch resumes at the version of the list or of a bookmark, never at an object', async () => {
  const clock = createFakeClock();
  on = await reflectorOnDouble({ clock, items: [configMap('a', '7')] });
  const resumed: (string | undefined)[] = [];
  const first = await on.double.nextWatch();
  resumed.push(first.params.resourceVersion);
  first.send('ADDED', configMap('b', '105'));
  await on.seen.until(2);
  first.reset();
  await expect.poll(() => on.reflector.status().state).toBe('failing');
  await clock.advance(1_000);

  const second = await on.double.nextWatch();
  resumed.push(second.params.resourceVersion);
  second.bookmark('150');
  second.send('MODIFIED', configMap('b', '155'));
  await on.seen.until(3);
  second.reset();
  await expect.poll(() => on.reflector.status().state).toBe('failing');
  await clock.advance(1_000);

  resumed.push((await on.double.nextWatch()).params.resourceVersion);
  expect(resumed).toEqual(['100', '100', '150']);
});
