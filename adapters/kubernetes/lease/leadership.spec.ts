import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClusterRefused, ClusterUnavailable } from '../../../domain/errors.ts';
import type { Cluster, KubernetesObject, StoredObject } from '../../../domain/ports/index.ts';
import { captureLog } from '../../../test/support/captured-log/index.ts';
import { createFakeClock, type FakeClock, settle } from '../../../test/support/fake-clock/index.ts';
import { createLeadership, type LeadershipOptions } from './leadership.ts';

const refused = (status: number, reason: string) => ClusterRefused({ status, reason, message: reason });

/** One Lease, with the rules of optimistic concurrency; `fault` is thrown by every call while it is set. */
function leaseServer() {
  let stored: StoredObject | undefined;
  let version = 0;
  const server = {
    fault: undefined as unknown,
    hang: false,
    get spec() {
      return stored?.spec;
    },
    remove() {
      stored = undefined;
    },
  };
  const store = (object: KubernetesObject): StoredObject => {
    version += 1;
    stored = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: stored?.metadata.uid ?? `u${version}`,
        resourceVersion: String(version),
        creationTimestamp: 'x',
      },
    };
    return stored;
  };
  const gate = async () => {
    if (server.hang) await new Promise(() => undefined);
    if (server.fault !== undefined) throw server.fault;
  };
  const cluster: Pick<Cluster, 'get' | 'create' | 'replace'> = {
    async get() {
      await gate();
      return stored;
    },
    async create(_, object) {
      await gate();
      if (stored) throw refused(409, 'AlreadyExists');
      return store(object);
    },
    async replace(_, object) {
      await gate();
      if (object.metadata.resourceVersion !== stored?.metadata.resourceVersion) throw refused(409, 'Conflict');
      return store(object);
    },
  };
  return { server, cluster };
}

let clock: FakeClock;
let server: ReturnType<typeof leaseServer>['server'];
let cluster: LeadershipOptions['cluster'];
let running: { stop(how: { deadline: number }): Promise<unknown> }[];
beforeEach(() => {
  clock = createFakeClock(Date.UTC(2026, 0, 1), () => 0);
  ({ server, cluster } = leaseServer());
  running = [];
});
afterEach(async () => {
  server.hang = false;
  for (const one of running) await one.stop({ deadline: 100 });
});

async function competitor(identity: string, storedTerm = 0, via = cluster) {
  const leadership = createLeadership({
    cluster: via,
    namespace: 'mogenius',
    identity,
    clock,
    log: captureLog(),
    storedTerm: () => Promise.resolve(storedTerm),
  });
  running.push(leadership);
  await leadership.start(new AbortController().signal);
  await settle();
  return leadership;
}

describe('winning', () => {
  test('the first one makes the Lease one term above the stored one', async () => {
    const a = await competitor('a', 7);
    expect(a.term()).toBe(8);
    expect(a.status()).toEqual({ leading: true, holder: 'a' });
    expect(server.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 30,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 8,
    });
  });

  test('the second one waits as long as the first renews, and takes it when the Lease ran out', async () => {
    const killed = { now: false };
    const hang = () => new Promise<never>(() => undefined);
    const a = await competitor('a', 0, {
      get: (...args) => (killed.now ? hang() : cluster.get(...args)),
      create: (...args) => (killed.now ? hang() : cluster.create(...args)),
      replace: (...args) => (killed.now ? hang() : cluster.replace(...args)),
    });
    running = [];
    const b = await competitor('b');
    await clock.advance(120_000);
    expect([a.term(), b.term()]).toEqual([1, undefined]);
    expect(b.status()).toEqual({ leading: false, holder: 'a', reason: 'a holds the Lease' });
    killed.now = true;
    await clock.advance(29_999);
    expect([a.term(), b.term()]).toEqual([undefined, undefined]);
    await clock.advance(5_001);
    expect(b.term()).toBe(2);
  });

  test('given back on stop, it is taken at the next try under a higher term', async () => {
    const a = await competitor('a');
    const b = await competitor('b');
    expect(a.term()).toBe(1);
    await a.stop({ deadline: 1_000 });
    expect(server.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 1 });
    await clock.advance(5_000);
    expect(b.term()).toBe(2);
  });

  test('who listens late hears of the lead at once', async () => {
    const a = await competitor('a');
    const leads: number[] = [];
    a.onLead((term) => leads.push(term));
    expect(leads).toEqual([1]);
  });
});

describe('losing', () => {
  test('without a renewal the lead ends before the Lease could run out, and comes back under a higher term', async () => {
    const a = await competitor('a');
    const ends: string[] = [];
    a.onLead((term, signal) => signal.addEventListener('abort', () => ends.push(`${term} ended at ${clock.monotonic()}`)));
    await clock.advance(5_000);
    server.fault = ClusterUnavailable({ reason: 'away' });
    await clock.advance(19_999);
    expect(a.term()).toBe(1);
    await clock.advance(1);
    expect(a.term()).toBeUndefined();
    expect(ends).toEqual(['1 ended at 25000']);
    server.fault = undefined;
    await clock.advance(5_000);
    expect(a.term()).toBe(2);
  });

  test('a renewal that hangs ends it as well', async () => {
    const a = await competitor('a');
    server.hang = true;
    await clock.advance(19_999);
    expect(a.status().leading).toBe(true);
    await clock.advance(1);
    expect(a.status()).toMatchObject({ leading: false, reason: expect.any(String) });
    expect(a.term()).toBeUndefined();
  });

  test('a Lease that was deleted and made anew gets no lower term', async () => {
    const a = await competitor('a', 40);
    expect(a.term()).toBe(41);
    server.remove();
    await clock.advance(5_000);
    expect(a.status()).toMatchObject({ leading: false, reason: 'the Lease was deleted' });
    await clock.advance(5_000);
    expect(a.term()).toBe(42);
  });

  test('somebody else in the Lease is a loss, whatever the clock says', async () => {
    const a = await competitor('a');
    const lease = await cluster.get({ group: '', version: '', kind: '', plural: '', namespaced: true }, { name: 'x' });
    if (!lease) throw new Error('there is no Lease');
    await cluster.replace(
      { group: '', version: '', kind: '', plural: '', namespaced: true },
      { ...lease, spec: { holderIdentity: 'b', leaseTransitions: 9 } },
    );
    await clock.advance(5_000);
    expect(a.status()).toMatchObject({ leading: false, holder: 'b' });
  });

  test('an acquisition whose answer was lost is made again under a further term', async () => {
    const a = await competitor('a');
    await a.stop({ deadline: 100 });
    const before = cluster.replace.bind(cluster);
    let lost = true;
    cluster = {
      ...cluster,
      async replace(kind, object, how) {
        const answer = await before(kind, object, how);
        if (lost) {
          lost = false;
          throw ClusterUnavailable({ reason: 'the answer was lost' });
        }
        return answer;
      },
    };
    const b = await competitor('b');
    expect(b.term()).toBeUndefined();
    await clock.advance(5_000);
    expect(b.term()).toBe(3);
  });
});

test('a term is never had by two, however pauses and failures fall', async () => {
  const terms = new Map<number, string>();
  const all = await Promise.all(['a', 'b', 'c'].map((identity) => competitor(identity)));
  for (const [at, one] of all.entries()) {
    one.onLead((term) => {
      expect(terms.has(term)).toBe(false);
      terms.set(term, String(at));
    });
  }
  for (let round = 0; round < 40; round += 1) {
    server.fault = round % 3 === 0 ? ClusterUnavailable({ reason: 'away' }) : undefined;
    if (round % 7 === 0) server.remove();
    await clock.advance(9_000);
    expect(all.filter((one) => one.term() !== undefined).length).toBeLessThanOrEqual(1);
  }
  expect(terms.size).toBeGreaterThan(3);
});

test('periods that would let two lead at once are refused', () => {
  const make = (more: object) => () =>
    createLeadership({ cluster, namespace: 'n', identity: 'a', clock, log: captureLog(), storedTerm: async () => 0, ...more });
  expect(make({ renewDeadline: 30_000 })).toThrow(TypeError);
  expect(make({ retryPeriod: 20_000 })).toThrow(TypeError);
});
