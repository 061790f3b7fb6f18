import { asOperatorError } from '../../domain/errors.ts';
import type { Clock, Log } from '../../domain/ports/index.ts';

const first = 500;
const longest = 30_000;

/** Tries a step of the start until it works: an API server that is away is no reason to end the process. What a person must mend is thrown. */
export async function persist<Result>(
  what: string,
  step: () => Promise<Result>,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<Result> {
  for (let failures = 1; ; failures++) {
    try {
      return await step();
    } catch (error) {
      signal.throwIfAborted();
      const known = asOperatorError(error, what);
      if (known.handling !== 'retry') throw error;
      if (failures === 1 || failures % 10 === 0) log.warn(`${what} is tried again`, { failures, error: known.message });
      await clock.sleep(Math.min(first * 2 ** (failures - 1), longest) * (0.8 + 0.4 * clock.random()), signal);
    }
  }
}
