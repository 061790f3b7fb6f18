import { afterEach, expect, it } from 'vitest';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { type Pair, startPair, until } from '../support/platform/index.ts';

let pair: Pair;
afterEach(() => pair.stop());

it('a platform that does not read gets the newest of each object later, holds no memory here, and is given up with a reason', async () => {
  const clock = createFakeClock();
  pair = await startPair(clock, { apiClients: 1 });
  await until(() => pair.platform.links().events?.phase === 'connected');
  pair.standIn.pause(0, true, 'events');

  const filler = 'z'.repeat(2000);
  const before = process.memoryUsage().heapUsed;
  // 400 MB of events about 100 objects, and of one that has no key.
  for (let n = 0; n < 200_000; n++) {
    const object = n % 100;
    pair.platform.push.push({ pattern: 'ClusterEvent', payload: { object, n, filler } }, { stream: 'cluster', key: `uid-${object}` });
    if (n % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  for (let n = 0; n < 20_000; n++) pair.platform.push.push({ pattern: 'K8sNotificationDto', payload: { n, filler } }, { stream: 'jobs' });
  expect((process.memoryUsage().heapUsed - before) / 1024 / 1024).toBeLessThan(150);
  expect(pair.metrics.values.get('mogenius_operator_platform_events_dropped_total{stream=cluster}')).toBe(0);
  expect(pair.metrics.values.get('mogenius_operator_platform_events_dropped_total{stream=jobs}')).toBeGreaterThan(18_000);

  await clock.advance(93_000);
  await until(() => pair.log.lines.some((line) => line.includes('connection ended')));
  expect(pair.log.lines.find((line) => line.includes('connection ended'))).toBe(
    'info connection ended {"reason":"nothing was heard for 90 s"}',
  );
  await clock.advance(1000);
  const last = new Map<unknown, unknown>();
  const read = () => {
    for (const { payload } of pair.standIn.pushed.all)
      if (payload instanceof Object && 'object' in payload && 'n' in payload) last.set(payload.object, payload.n);
    return last.size === 100 && [...last].every(([object, n]) => n === 199_900 + Number(object));
  };
  await until(read);
});
