import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../adapters/clock/index.ts';
import type { Clock } from '../../../domain/ports/index.ts';
import { type Pair, startPair, until } from '../../support/platform/index.ts';

const clock: Clock = { ...systemClock, random: () => 0.001 };
let pair: Pair;
afterEach(() => pair.stop());

const numbered = z.object({ n: z.number().optional(), seq: z.number(), bootId: z.string() });
const payloads = () => pair.standIn.pushed.all.map(({ payload }) => payload);
const event = (n: number) => ({ pattern: 'ClusterEvent', payload: { n } });

async function pushing(): Promise<void> {
  pair = await startPair(clock, { apiClients: 1 });
  await until(() => pair.platform.links().events?.phase === 'connected');
}

/** The platform is gone, and the operator has noticed. */
async function away(): Promise<void> {
  pair.standIn.refuse(true);
  pair.standIn.drop(0, 'events');
  await until(() => pair.platform.links().events?.phase === 'waiting');
}

describe('events that are pushed', () => {
  it('arrive in order, each with an id of its own and a user', async () => {
    await pushing();
    for (let n = 0; n < 500; n++) pair.platform.push.push(event(n), { stream: 'cluster' });
    pair.platform.push.push(
      { pattern: 'AuditLogEvent', payload: { pattern: 'p' }, user: { email: 'a@b.c' }, workspace: 'shop' },
      { stream: 'audit', numbered: true },
    );
    await until(() => pair.standIn.pushed.count === 501);
    const cluster = pair.standIn.pushed.all.filter(({ pattern }) => pattern === 'ClusterEvent');
    expect(cluster.map(({ payload }) => payload)).toEqual(Array.from({ length: 500 }, (_, n) => ({ n })));
    expect(cluster[0]).toMatchObject({ user: { apiKey: {} } });
    expect(pair.standIn.pushed.all.find(({ pattern }) => pattern === 'AuditLogEvent')).toMatchObject({
      user: { email: 'a@b.c', apiKey: {} },
      workspace: 'shop',
      payload: { pattern: 'p', seq: 1, bootId: expect.stringMatching(/^[a-zA-Z0-9]{21}$/) },
    });
  });

  it('are snapshots: what changes later is not seen', async () => {
    await pushing();
    await away();
    const payload = { state: 'STARTED' };
    pair.platform.push.push({ pattern: 'K8sNotificationDto', payload }, { stream: 'jobs' });
    payload.state = 'FAILED';
    pair.standIn.refuse(false);
    await until(() => pair.standIn.pushed.count === 1);
    expect(payloads()).toEqual([{ state: 'STARTED' }]);
  });

  it('wait while the platform is away: the newest 1,000, and the gap is counted and seen', async () => {
    await pushing();
    await away();
    for (let n = 1; n <= 3000; n++) pair.platform.push.push(event(n), { stream: 'audit', numbered: true });
    const dropped = pair.metrics.values.get('mogenius_operator_platform_events_dropped_total{stream=audit}') ?? 0;
    pair.standIn.refuse(false);
    await until(() => pair.standIn.pushed.count === 3000 - dropped);
    // One is on its way already when the burst begins.
    expect(dropped).toBe(1999);
    const seqs = payloads().map((payload) => numbered.parse(payload).seq);
    expect(seqs).toEqual([1, ...Array.from({ length: 1000 }, (_, n) => n + 2001)]);
  });

  it('with one key: only the newest waits, in the place of the first', async () => {
    await pushing();
    await away();
    pair.platform.push.push(event(0), { stream: 'cluster' });
    for (let n = 1; n <= 100; n++)
      pair.platform.push.push({ pattern: 'ClusterEvent', payload: { a: n } }, { stream: 'cluster', key: 'uid-a' });
    pair.platform.push.push({ pattern: 'ClusterEvent', payload: { b: 1 } }, { stream: 'cluster', key: 'uid-b' });
    pair.platform.push.push({ pattern: 'ClusterEvent', payload: { a: 101 } }, { stream: 'cluster', key: 'uid-a' });
    pair.standIn.refuse(false);
    await until(() => pair.standIn.pushed.count === 3);
    expect(payloads()).toEqual([{ n: 0 }, { a: 101 }, { b: 1 }]);
    expect(pair.metrics.values.get('mogenius_operator_platform_events_dropped_total{stream=cluster}')).toBe(0);
  });

  it('that are no JSON are counted, and the next one goes out', async () => {
    await pushing();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    pair.platform.push.push({ pattern: 'ClusterEvent', payload: circle }, { stream: 'cluster' });
    pair.platform.push.push(event(1), { stream: 'cluster' });
    await until(() => pair.standIn.pushed.count === 1);
    expect(pair.metrics.values.get('mogenius_operator_platform_events_dropped_total{stream=cluster}')).toBe(1);
  });

  it('go out before the stop', async () => {
    await pushing();
    for (let n = 0; n < 900; n++) pair.platform.push.push(event(n), { stream: 'cluster' });
    expect(await pair.platform.stop({ deadline: 10_000 })).toEqual({ dropped: [] });
    await until(() => pair.standIn.pushed.count === 900);
  });
});

describe('events from a source', () => {
  it('are asked for only as fast as they can be sent, and none is dropped', async () => {
    await pushing();
    await away();
    let asked = 0;
    async function* source() {
      for (let n = 1; n <= 5000; n++) {
        asked = n;
        yield event(n);
      }
    }
    const delivered: number[] = [];
    const done = pair.platform.push.pushFrom(source(), {
      stream: 'audit',
      numbered: true,
      signal: new AbortController().signal,
      delivered: ({ payload }) => delivered.push(payload.n),
    });
    await until(() => asked === 101);
    expect(delivered).toEqual([]);
    pair.standIn.refuse(false);
    await done;
    await until(() => pair.standIn.pushed.count === 5000);
    expect(payloads().map((payload) => numbered.parse(payload).seq)).toEqual(Array.from({ length: 5000 }, (_, n) => n + 1));
    // All that was written before the last pong is known to be there.
    expect(delivered).toEqual(Array.from({ length: delivered.length }, (_, n) => n + 1));
    expect(delivered.length).toBeGreaterThan(4700);
  });

  it('come again after a lost connection when nobody confirmed them: nothing in between is missing', async () => {
    await pushing();
    async function* source() {
      for (let n = 1; n <= 5000; n++) yield event(n);
    }
    const done = pair.platform.push.pushFrom(source(), { stream: 'audit', numbered: true, signal: new AbortController().signal });
    for (const count of [500, 1500, 3000]) {
      await until(() => pair.standIn.pushed.count >= count && pair.standIn.open('events') === 1);
      pair.standIn.drop(0, 'events');
    }
    await done;
    await until(() => numbered.parse(pair.standIn.pushed.all.at(-1)?.payload).seq === 5000);
    const seqs = payloads().map((payload) => numbered.parse(payload).seq);
    expect([...new Set(seqs)]).toEqual(Array.from({ length: 5000 }, (_, n) => n + 1));
  });

  it('end when they are told to, also while the platform is away', async () => {
    await pushing();
    await away();
    const stop = new AbortController();
    let closed = false;
    async function* source() {
      try {
        for (let n = 1; ; n++) yield event(n);
      } finally {
        closed = true;
      }
    }
    const done = pair.platform.push.pushFrom(source(), { stream: 'audit', signal: stop.signal });
    stop.abort();
    await done;
    expect(closed).toBe(true);
  });
});
