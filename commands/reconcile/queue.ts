import type { Clock } from '../../domain/ports/index.ts';

/** What is to be done about a key after a pass. */
export type After = { readonly requeue: 'no' } | { readonly requeue: 'backoff' } | { readonly requeue: 'after'; readonly ms: number };

export interface WorkQueue {
  /** Once more, soon. A key that waits is there once; one that is worked on is worked on again afterwards. */
  add(key: string): void;
  /** Works until the signal aborts; resolves when the last pass ended. */
  run(signal: AbortSignal, pass: (key: string) => Promise<After>): Promise<void>;
  readonly depth: number;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly concurrency: number;
  /** Whether something more urgent is under way: passes then take turns, one at a time with a rest between. Looked at before each pass. */
  readonly yields?: () => boolean;
}

/** Between two passes of one object: a hot object must not take the others' time. */
const atLeast = 200;
const firstBackoff = 1_000;
const longestBackoff = 300_000;
/** Between two passes while something more urgent is under way: it goes on, slowly, however long that lasts. */
const rest = 50;
const longestSleep = 60_000;

/** A queue of objects to look at: each in one pass at a time, failures with backoff and jitter of their own. */
export function createWorkQueue({ clock, concurrency, yields = () => false }: WorkQueueOptions): WorkQueue {
  /** In the order in which they were added. */
  const ready = new Set<string>();
  /** key -> monotonic ms when it is ready */
  const later = new Map<string, number>();
  const busy = new Set<string>();
  const failures = new Map<string, number>();
  const lastPass = new Map<string, number>();
  let earliest = Number.POSITIVE_INFINITY;
  let lastStart = Number.NEGATIVE_INFINITY;
  let nudge = Promise.withResolvers<void>();

  const schedule = (key: string, at: number) => {
    if (ready.has(key)) return;
    if (at <= clock.monotonic()) {
      later.delete(key);
      ready.add(key);
    } else {
      const known = later.get(key);
      if (known !== undefined && known <= at) return;
      later.set(key, at);
      earliest = Math.min(earliest, at);
    }
    nudge.resolve();
  };

  /** Looked through only when one of them is due: thousands wait here after a burst. */
  const promote = (now: number) => {
    if (earliest > now) return;
    earliest = Number.POSITIVE_INFINITY;
    for (const [key, at] of later) {
      if (at > now) earliest = Math.min(earliest, at);
      else {
        later.delete(key);
        ready.add(key);
      }
    }
  };

  /** The next key whose turn it is, taken out; undefined when none may begin now. */
  const take = (now: number): string | undefined => {
    if (busy.size >= concurrency || (yields() && (busy.size > 0 || now - lastStart < rest))) return undefined;
    for (const key of ready) {
      if (busy.has(key)) continue;
      ready.delete(key);
      return key;
    }
    return undefined;
  };

  /** Also forgets those that are long over. */
  const remember = (key: string) => {
    const now = clock.monotonic();
    lastPass.delete(key);
    lastPass.set(key, now);
    for (const [old, at] of lastPass) {
      if (now - at < atLeast) break;
      lastPass.delete(old);
    }
  };

  async function one(key: string, pass: (key: string) => Promise<After>): Promise<void> {
    const after = await pass(key);
    remember(key);
    busy.delete(key);
    nudge.resolve();
    if (after.requeue === 'backoff') {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      schedule(key, clock.monotonic() + Math.min(firstBackoff * 2 ** (count - 1), longestBackoff) * (0.8 + 0.4 * clock.random()));
      return;
    }
    failures.delete(key);
    if (after.requeue === 'after') schedule(key, clock.monotonic() + after.ms);
  }

  return {
    add: (key) => schedule(key, Math.max(clock.monotonic(), (lastPass.get(key) ?? -atLeast) + atLeast)),
    get depth() {
      return ready.size + later.size + busy.size;
    },
    async run(signal, pass) {
      const running = new Set<Promise<void>>();
      const stop = () => nudge.resolve();
      signal.addEventListener('abort', stop);
      while (!signal.aborted) {
        const now = clock.monotonic();
        promote(now);
        for (let key = take(now); key !== undefined; key = take(now)) {
          busy.add(key);
          lastStart = now;
          const work: Promise<void> = one(key, pass).finally(() => running.delete(work));
          running.add(work);
        }
        const resting = ready.size > 0 && busy.size === 0 ? lastStart + rest - now : Number.POSITIVE_INFINITY;
        const timer = new AbortController();
        await Promise.race([
          clock.sleep(Math.min(earliest - now, resting, longestSleep), timer.signal).catch(() => undefined),
          nudge.promise,
        ]);
        timer.abort(nudged);
        nudge = Promise.withResolvers();
      }
      signal.removeEventListener('abort', stop);
      await Promise.allSettled(running);
    },
  };
}

/** The reason with which a sleep is ended: one for all, because making an error costs more than the rest. */
const nudged = new Error('there is work');
