import { createHash } from 'node:crypto';
import type { Clock } from '../../../domain/ports/index.ts';
import type { Tokens } from '../options.ts';

type Review = NonNullable<Tokens['review']>;

/** Decisions remembered at once; the oldest goes first. */
const most = 1_000;
/** ms a "not valid" is remembered: long enough against a flood, short for a token that was made a moment ago. */
const refusedFor = 5_000;

/**
 * TokenReview with a memory: the API server is asked once for a token that comes often, and once for many requests at the same time.
 * Kept under a hash, so that the memory of the process holds no list of tokens. A failed question is not remembered.
 */
export function rememberReviews(review: Review, ttl: number, clock: Clock): Review {
  const known = new Map<string, { until: number; readonly answer: ReturnType<Review> }>();
  return (token) => {
    const key = createHash('sha256').update(token).digest('base64');
    const found = known.get(key);
    if (found && found.until > clock.monotonic()) return found.answer;
    const one = { until: clock.monotonic() + ttl, answer: review(token) };
    known.delete(key);
    known.set(key, one);
    one.answer.then(
      (who) => {
        if (who === undefined) one.until = Math.min(one.until, clock.monotonic() + refusedFor);
      },
      () => {
        if (known.get(key) === one) known.delete(key);
      },
    );
    for (const oldest of known.keys()) {
      if (known.size <= most) break;
      known.delete(oldest);
    }
    return one.answer;
  };
}
