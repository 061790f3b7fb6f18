import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../adapters/clock/index.ts';
import { createDispatcherDouble, type Pair, startPair, until } from '../support/platform/index.ts';

let pair: Pair;
afterEach(() => pair.stop());

it('parallel replies, pings and a close on one socket leave every frame whole and events in order', async () => {
  // Sizes from 1 byte to 200 KB, plain, compressed here and compressed aside: they finish in another order than they began.
  const double = createDispatcherDouble(({ payload }) => ({ status: 'success', data: 'x'.repeat((Number(payload) * 7919) % 200_000) }));
  pair = await startPair(systemClock, { double, apiClients: 1 });
  await until(() => pair.platform.links().events?.phase === 'connected');
  await pair.standIn.connected('api', 1);
  const answers = Array.from({ length: 500 }, (_, n) => pair.standIn.send('p', n, { id: `r${n}` }));
  for (let n = 0; n < 900; n++)
    pair.platform.push.push({ pattern: 'ClusterEvent', payload: { n, fill: 'y'.repeat((n * 104729) % 50_000) } }, { stream: 'cluster' });
  const all = await Promise.all(answers);
  expect(all.map(({ datagram }) => datagram.id)).toEqual(Array.from({ length: 500 }, (_, n) => `r${n}`));
  expect(all.every(({ datagram }, n) => JSON.stringify(datagram.payload).length === 30 + ((n * 7919) % 200_000))).toBe(true);

  const closing = pair.platform.stop({ deadline: 10_000 });
  expect(await closing).toEqual({ dropped: [] });
  await until(() => pair.standIn.connections.every(({ closed }) => closed === 1000));
  expect(pair.standIn.pushed.all.map(({ payload }) => (payload instanceof Object && 'n' in payload ? payload.n : undefined))).toEqual(
    Array.from({ length: 900 }, (_, n) => n),
  );
  expect(pair.standIn.strangers.all).toEqual([]);
});
