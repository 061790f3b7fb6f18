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

/** Between two passes of one object: a hot object must not take the others' time. */
const atLeast = 200;
const firstBackoff = 1_000;
const longestBackoff = 300_000;

/** A queue of objects to look at: each in one pass at a time, failures with backoff and jitter of their own. */
export function createWorkQueue({ clock, concurrency }: { clock: Clock; concurrency: number }): WorkQueue {
  /** key -> monotonic ms when it may be looked at */
  const due = new Map<string, number>();
  const busy = new Set<string>();
  const failures = new Map<string, number>();
  const lastPass = new Map<string, number>();
  let nudge = new AbortController();

  const schedule = (key: string, at: number) => {
    const known = due.get(key);
    if (known === undefined || at < known) due.set(key, at);
    nudge.abort();
  };

  async function one(key: string, pass: (key: string) => Promise<After>): Promise<void> {
    const after = await pass(key);
    lastPass.set(key, clock.monotonic());
    busy.delete(key);
    if (after.requeue === 'backoff') {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      schedule(key, clock.monotonic() + Math.min(firstBackoff * 2 ** (count - 1), longestBackoff) * (0.8 + 0.4 * clock.random()));
      return;
    }
    failures.delete(key);
    if (after.requeue === 'after') schedule(key, clock.monotonic() + after.ms);
    else if (!due.has(key)) lastPass.delete(key);
    nudge.abort();
  }

  return {
    add: (key) => schedule(key, Math.max(clock.monotonic(), (lastPass.get(key) ?? -atLeast) + atLeast)),
    get depth() {
      return due.size + busy.size;
    },
    async run(signal, pass) {
      const running = new Set<Promise<void>>();
      while (!signal.aborted) {
        const now = clock.monotonic();
        let next = Number.POSITIVE_INFINITY;
        for (const [key, at] of due) {
          if (busy.has(key)) continue;
          if (at > now) next = Math.min(next, at);
          else if (busy.size < concurrency) {
            due.delete(key);
            busy.add(key);
            const work: Promise<void> = one(key, pass).finally(() => running.delete(work));
            running.add(work);
          }
        }
        await clock.sleep(Math.min(next - now, 60_000), AbortSignal.any([signal, nudge.signal])).catch(() => undefined);
        nudge = new AbortController();
      }
      await Promise.allSettled(running);
    },
  };
}
