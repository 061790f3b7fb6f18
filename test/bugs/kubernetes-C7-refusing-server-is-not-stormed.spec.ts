import { afterEach, expect, test } from 'vitest';
import { statusOf } from '../support/api-double/index.ts';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { type ReflectorOnDouble, reflectorOnDouble } from '../support/reflector/index.ts';

let on: ReflectorOnDouble | undefined;
afterEach(async () => {
  await on?.stop();
  on = undefined;
});

const refusal = { status: 500, body: statusOf(500, 'InternalError', 'etcd has no leader') };

test('a server that refuses for 60 s is asked once per step, with jitter', async () => {
  const clock = createFakeClock(0, () => 0);
  const started = await reflectorOnDouble({ clock, refuseWatch: () => refusal });
  on = started;
  const asked: number[] = [];
  await expect.poll(() => started.watches()).toBe(1);
  let before = started.watches();
  for (let tick = 0; tick < 600; tick += 1) {
    await expect.poll(() => started.reflector.status().state).toBe('failing');
    await expect.poll(() => clock.sleeping().length, { interval: 1 }).toBe(1);
    await clock.advance(100);
    await expect.poll(() => clock.sleeping().length, { interval: 1 }).toBe(1);
    if (started.watches() > before) asked.push((tick + 1) * 100);
    before = started.watches();
  }
  // 0.5, 1, 2, 4, 8, 16 s: half of each step is the least that jitter leaves.
  expect(asked).toEqual([500, 1_500, 3_500, 7_500, 15_500, 31_500]);
  expect(started.log.lines.filter((line) => line.startsWith('warn'))).toEqual([
    'warn v1 configmaps in ns can\'t be watched, trying again {"reason":"etcd has no leader"}',
  ]);
});

test('watches that are opened and end at once count as refusals', async () => {
  const clock = createFakeClock(0, () => 0.5);
  const started = await reflectorOnDouble({ clock });
  on = started;
  for (const pause of [750, 1_500, 3_000]) {
    (await started.double.nextWatch()).end();
    await expect.poll(() => started.reflector.status().reason).toBe('the watch ended at once');
    await expect.poll(() => clock.sleeping()[0]).toBe(pause);
    await clock.advance(pause);
  }
  expect((await started.double.nextWatch()).params.resourceVersion).toBe('100');
  expect(started.lists()).toBe(1);
});

test('kinds that failed together do not come back together', async () => {
  const first: number[] = [];
  for (const random of [0.1, 0.9]) {
    const clock = createFakeClock(0, () => random);
    const one = await reflectorOnDouble({ clock, refuseWatch: () => refusal });
    await expect.poll(() => clock.sleeping()).toHaveLength(1);
    first.push(...clock.sleeping().map(Math.round));
    await one.stop();
  }
  expect(first).toEqual([550, 950]);
});
