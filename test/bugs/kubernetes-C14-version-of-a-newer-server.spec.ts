import { afterEach, expect, test } from 'vitest';
import { type ApiDouble, statusOf } from '../support/api-double/index.ts';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { configMap, listOf, type ReflectorOnDouble, reflectorOnDouble } from '../support/reflector/index.ts';

let on: ReflectorOnDouble;
afterEach(() => on.stop());

const tooLarge = { status: 504, body: statusOf(504, 'Timeout', 'Too large resource version: 2000, current: 1000') };

test('a server that is behind is waited for, and only then listed anew: once, not without end', async () => {
  const clock = createFakeClock();
  let version = '2000';
  const refuseWatch: ApiDouble['refuseWatch'] = ({ params }) => (params.resourceVersion === '2000' ? tooLarge : undefined);
  on = await reflectorOnDouble({ clock, refuseWatch, answer: () => listOf(version, [configMap('a', '900')]) });
  for (const pause of [750, 1_500, 3_000]) {
    await expect.poll(() => clock.sleeping()).toEqual([pause]);
    expect(on.lists()).toBe(1);
    version = '1000';
    await clock.advance(pause);
  }
  expect((await on.double.nextWatch()).params.resourceVersion).toBe('1000');
  expect([on.lists(), on.watches()]).toEqual([2, 4]);
  expect(on.seen.brief()).toEqual(['appeared a initial']);
});
