import { DeadlineExceeded, type OperatorError } from '../errors.ts';

/** How a claimed command is to be treated. */
export type Attempt =
  | { readonly do: 'run' /** ms from now until the handler is cut off */; readonly within: number }
  | { readonly do: 'expire' }
  | { readonly do: 'park'; readonly reason: string };

export interface AttemptFacts {
  /** Counted from 1. */
  readonly attempt: number;
  /** Epoch ms. */
  readonly now: number;
  readonly deadline: number;
  readonly maxAttempts: number;
  /** How long a second attempt may look for what the first one did, once the deadline is over. */
  readonly grace: number;
}

/**
 * A command nobody began before its deadline is not begun any more. One that was begun is looked after even then, because its effect may
 * have happened; one that took its process down again and again is parked.
 */
export function decideAttempt({ attempt, now, deadline, maxAttempts, grace }: AttemptFacts): Attempt {
  if (attempt > maxAttempts) return { do: 'park', reason: `it was begun ${attempt - 1} times and never finished` };
  const left = deadline - now;
  if (attempt === 1) return left > 0 ? { do: 'run', within: left } : { do: 'expire' };
  return { do: 'run', within: Math.max(left, grace) };
}

export type AfterFailure =
  | { readonly do: 'fail'; readonly error: OperatorError }
  | { readonly do: 'retry' /** ms */; readonly delay: number };

export interface FailureFacts {
  readonly error: OperatorError;
  readonly pattern: string;
  /** Tries of the effect within this claim, counted from 1. */
  readonly tries: number;
  /** ms until the handler is cut off. */
  readonly left: number;
  /** 0 <= x < 1 */
  readonly random: number;
}

const firstDelay = 50;
const longestDelay = 2_000;

/** What passes is tried again with backoff and jitter while there is time; all else is the outcome. */
export function decideAfterFailure({ error, tries, left, random }: FailureFacts): AfterFailure {
  if (error.handling !== 'retry') return { do: 'fail', error };
  const delay = Math.min(firstDelay * 2 ** (tries - 1), longestDelay) * (0.8 + 0.4 * random);
  return delay < left ? { do: 'retry', delay } : { do: 'fail', error };
}

/** The error of a command that was not begun in time. */
export const expired = (pattern: string, deadline: string): OperatorError => DeadlineExceeded({ pattern, deadline });
