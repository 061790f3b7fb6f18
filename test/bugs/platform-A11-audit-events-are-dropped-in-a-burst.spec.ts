import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../adapters/clock/index.ts';
import { type Pair, startPair, until } from '../support/platform/index.ts';

let pair: Pair;
afterEach(() => pair.stop());

const entry = z.object({ requestId: z.string(), seq: z.number(), bootId: z.string() });

it('a burst of 5,000 audit entries reaches a slow consumer completely, in order, without a gap', async () => {
  pair = await startPair(systemClock, { apiClients: 1 });
  await until(() => pair.platform.links().events?.phase === 'connected');
  pair.standIn.pause(0, true, 'events');

  let read = 0;
  async function* log() {
    for (let n = 1; n <= 5000; n++) {
      read = n;
      yield { pattern: 'AuditLogEvent', payload: { requestId: `c${n}`, result: 'r'.repeat(500) } };
    }
  }
  const done = pair.platform.push.pushFrom(log(), { stream: 'audit', numbered: true, signal: new AbortController().signal });
  // 256 are written, 100 wait, one asks for its place: the reader of the log stands still instead of dropping.
  await until(() => read === 357);
  for (let step = 0; step < 5; step++) {
    pair.standIn.pause(0, false, 'events');
    await until(() => pair.standIn.pushed.count >= (step + 1) * 300);
    pair.standIn.pause(0, true, 'events');
  }
  pair.standIn.pause(0, false, 'events');
  await done;
  await until(() => pair.standIn.pushed.count === 5000);
  const entries = pair.standIn.pushed.all.map(({ payload }) => entry.parse(payload));
  expect(entries.map(({ requestId }) => requestId)).toEqual(Array.from({ length: 5000 }, (_, n) => `c${n + 1}`));
  expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 5000 }, (_, n) => n + 1));
  expect(new Set(entries.map(({ bootId }) => bootId)).size).toBe(1);
  expect(pair.metrics.values.get('mogenius_operator_platform_events_dropped_total{stream=audit}')).toBe(0);
});
