import type { Clock } from '../../domain/ports/index.ts';

/** The longest delay a Node timer can hold; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
        Math.min(Math.max(0, ms), longestTimer),
      );
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
