import { leases } from '../../../domain/kinds.ts';
import type { Clock, Cluster, Leadership, Log, Module, StoredObject } from '../../../domain/ports/index.ts';
import { observe } from './observe.ts';
import { leaseObject, microTime, readLease } from './record.ts';

export interface LeadershipOptions {
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  /** Default `mogenius-operator-lease`. */
  readonly name?: string;
  /** A random UUID of this process. */
  readonly identity: string;
  /** Milliseconds. How long others wait for a holder that is silent. Default 30,000. */
  readonly leaseDuration?: number;
  /** Milliseconds after the last renewal at which this process stops leading by itself. Default 20,000. */
  readonly renewDeadline?: number;
  /** Milliseconds between tries. Default 5,000. */
  readonly retryPeriod?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** The highest term the event log has seen, 0 for none: a Lease that was deleted and made anew must not begin below it. */
  readonly storedTerm: () => Promise<number>;
}

interface Lead {
  readonly term: number;
  readonly ends: AbortController;
  readonly acquireTime: string;
  /** Monotonic ms: taken before the renewal was sent, as the server may have counted from there. */
  renewedAt: number;
}

/** Competes for the Lease as long as it runs. Losing it ends nothing but the lead: it competes again. */
export function createLeadership(options: LeadershipOptions): Leadership & Module {
  const { cluster, clock, identity, leaseDuration = 30_000, renewDeadline = 20_000, retryPeriod = 5_000 } = options;
  if (!(retryPeriod < renewDeadline && renewDeadline < leaseDuration)) {
    throw new TypeError('retryPeriod < renewDeadline < leaseDuration: otherwise two could lead at once');
  }
  const ref = { name: options.name ?? 'mogenius-operator-lease', namespace: options.namespace };
  const log = options.log.component('leadership');
  const listeners: ((term: number, signal: AbortSignal) => void)[] = [];
  const seen = observe(leaseDuration);
  const ends = new AbortController();
  let lead: Lead | undefined;
  let holder: string | undefined;
  let reason: string | undefined;
  let running: Promise<void> | undefined;
  /** The highest term met here: a leader may not have appended anything yet when its Lease is deleted. */
  let highest = 0;

  const fresh = (one: Lead): boolean => !one.ends.signal.aborted && clock.monotonic() - one.renewedAt < renewDeadline;

  function lose(why: string): void {
    if (lead === undefined) return;
    log.warn('the lead is lost', { term: lead.term, why });
    reason = why;
    lead.ends.abort(new Error(`the lead is lost: ${why}`));
    lead = undefined;
  }

  /** Ends the lead in time even when the renewal hangs. */
  async function guard(one: Lead): Promise<void> {
    for (;;) {
      const left = one.renewedAt + renewDeadline - clock.monotonic();
      if (left <= 0) {
        if (lead === one) lose(`it was not renewed within ${renewDeadline / 1000} s`);
        return;
      }
      await clock.sleep(left, one.ends.signal);
    }
  }

  function gain(term: number, renewedAt: number, acquireTime: string): void {
    const one = { term, renewedAt, acquireTime, ends: new AbortController() };
    // The answer may have come so late that others already count us out.
    if (!fresh(one)) return;
    lead = one;
    reason = undefined;
    log.info('leading', { term });
    guard(one).catch(() => undefined);
    for (const listener of listeners) listener(term, one.ends.signal);
  }

  async function write(current: StoredObject | undefined, to: { holder: string; term: number; acquireTime: string }, signal?: AbortSignal) {
    const object = leaseObject(ref, { ...to, durationMs: leaseDuration, renewTime: microTime(clock.now()) }, current);
    await (current === undefined ? cluster.create(leases, object, { signal }) : cluster.replace(leases, object, { signal }));
  }

  /** One try to renew or to acquire. Throws what the cluster throws. */
  async function compete(signal: AbortSignal): Promise<void> {
    const before = clock.monotonic();
    const current = await cluster.get(leases, ref, { signal });
    const record = current && readLease(current);
    holder = record?.holder || undefined;
    highest = Math.max(highest, record?.transitions ?? 0);
    seen.look(current, clock.monotonic());

    if (lead !== undefined) {
      const mine = lead;
      if (record?.holder !== identity || record.transitions !== mine.term)
        return lose(record ? `${record.holder || 'nobody'} holds it` : 'the Lease was deleted');
      await write(current, { holder: identity, term: mine.term, acquireTime: mine.acquireTime }, signal);
      if (lead === mine && fresh(mine)) mine.renewedAt = before;
      return;
    }
    if (record?.holder && record.holder !== identity && !seen.expired(record.durationMs, clock.monotonic())) return;
    highest = Math.max(highest, await options.storedTerm()) + 1;
    const term = highest;
    signal.throwIfAborted();
    const acquireTime = microTime(clock.now());
    await write(current, { holder: identity, term, acquireTime }, signal);
    holder = identity;
    gain(term, before, acquireTime);
  }

  /** A try that hangs must not take the time of the next ones. */
  async function bounded(): Promise<void> {
    const one = new AbortController();
    const stop = () => one.abort(ends.signal.reason);
    ends.signal.addEventListener('abort', stop, { once: true });
    try {
      const late = clock
        .sleep(2 * retryPeriod, one.signal)
        .then(() => Promise.reject(new Error('the Kubernetes API did not answer in time')));
      await Promise.race([compete(one.signal), late]);
    } finally {
      ends.signal.removeEventListener('abort', stop);
      one.abort(new Error('this try is over'));
    }
  }

  async function run(): Promise<void> {
    while (!ends.signal.aborted) {
      try {
        await bounded();
        if (lead === undefined && holder !== undefined) reason = `${holder} holds the Lease`;
      } catch (error) {
        if (ends.signal.aborted) break;
        reason = error instanceof Error ? error.message : String(error);
        log.debug('the Lease could not be read or written', { reason });
      }
      // Jitter keeps two that lost together from trying together.
      await clock.sleep(retryPeriod * (lead === undefined ? 1 + clock.random() * 0.2 : 1), ends.signal).catch(() => undefined);
    }
  }

  /** Gives the Lease back, so that the next one need not wait for it to run out. */
  async function release(signal: AbortSignal): Promise<void> {
    const mine = lead;
    if (mine === undefined) return;
    lose('this process stops');
    const current = await cluster.get(leases, ref, { signal });
    const record = current && readLease(current);
    if (current === undefined || record?.holder !== identity || record.transitions !== mine.term) return;
    await write(current, { holder: '', term: mine.term, acquireTime: mine.acquireTime }, signal);
  }

  return {
    name: 'leadership',
    term: () => (lead !== undefined && fresh(lead) ? lead.term : undefined),
    onLead(listener) {
      listeners.push(listener);
      if (lead !== undefined && fresh(lead)) listener(lead.term, lead.ends.signal);
    },
    status: () => ({
      leading: lead !== undefined && fresh(lead),
      ...(holder === undefined ? {} : { holder }),
      ...(reason === undefined ? {} : { reason }),
    }),
    async start(signal) {
      signal.throwIfAborted();
      running ??= run();
    },
    async stop({ deadline }) {
      ends.abort(new Error('the leadership stops'));
      await running;
      try {
        await release(AbortSignal.timeout(deadline));
        return { dropped: [] };
      } catch {
        return { dropped: ['the Lease was not given back: the next leader waits until it runs out'] };
      }
    },
  };
}
