import type { Clock } from '../../../domain/ports/index.ts';

/** A clock that moves only when the test says so. */
export interface FakeClock extends Clock {
  /** Moves on by `ms`, waking sleepers in order, each after what the one before set off has settled. */
  advance(ms: number): Promise<void>;
  /** Milliseconds each sleeper still waits, shortest first. */
  sleeping(): readonly number[];
}

/** Lets promises and finished I/O run. */
export async function settle(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export function createFakeClock(start = Date.UTC(2026, 0, 1), random: () => number = () => 0.5): FakeClock {
  let time = 0;
  const sleepers = new Set<{ at: number; wake(): void }>();
  return {
    now: () => start + time,
    monotonic: () => time,
    random,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper = {
          at: time + ms,
          wake() {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }),
    sleeping: () => [...sleepers].map(({ at }) => at - time).sort((a, b) => a - b),
    async advance(ms) {
      const until = time + ms;
      await settle();
      for (;;) {
        const [next] = [...sleepers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        time = Math.max(time, next.at);
        next.wake();
        await settle();
      }
      time = until;
    },
  };
}
