import { afterEach, expect, test } from 'vitest';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { configMap, type ReflectorOnDouble, reflectorOnDouble } from '../support/reflector/index.ts';

let on: ReflectorOnDouble;
afterEach(() => on.stop());

test('the next watch begins at once where the last bookmark was, and nothing is lost or told twice', async () => {
  const clock = createFakeClock();
  on = await reflectorOnDouble({ clock, silence: 1_000_000, items: [configMap('a', '90')] });
  const first = await on.double.nextWatch();
  expect(Number(first.params.timeoutSeconds)).toBeGreaterThanOrEqual(300);
  expect(Number(first.params.timeoutSeconds)).toBeLessThanOrEqual(600);
  expect(first.params.allowWatchBookmarks).toBe('true');
  first.send('MODIFIED', configMap('a', '110'));
  first.bookmark('120');
  first.send('ADDED', configMap('b', '130'));
  await on.seen.until(3);
  await clock.advance(450_000);
  first.end();

  const second = await on.double.nextWatch();
  expect(second.params.resourceVersion).toBe('120');
  second.send('ADDED', configMap('b', '130'));
  second.send('ADDED', configMap('c', '140'));
  await on.seen.until(4);
  expect(on.seen.brief()).toEqual(['appeared a initial', 'changed a', 'appeared b', 'appeared c']);
  expect([on.lists(), on.watches()]).toEqual([1, 2]);
});
