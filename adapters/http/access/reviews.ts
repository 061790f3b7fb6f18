import { createHash } from 'node:crypto';
import type { Clock } from '../../../domain/ports/index.ts';
import type { Tokens } from '../options.ts';

type Review = NonNullable<Tokens['review']>;

/** Decisions remembered at once; the oldest goes first. */
const most = 1_000;

/**
 * TokenReview with a memory: the API server is asked once for a token that comes often, and once for many requests at the same time.
 * Kept under a hash, so that the memory of the process holds no list of tokens. A failed question is not remembered.
 */
export function rememberReviews(review: Review, ttl: number, clock: Clock): Review {
  const known = new Map<string, { readonly until: number; readonly answer: ReturnType<Review> }>();
  return (token) => {
    const key = createHash('sha256').update(token).digest('base64');
    const found = known.get(key);
    if (found && found.until > clock.monotonic()) return found.answer;
    const answer = review(token);
    known.delete(key);
    known.set(key, { until: clock.monotonic() + ttl, answer });
    answer.catch(() => {
      if (known.get(key)?.answer === answer) known.delete(key);
    });
    for (const oldest of known.keys()) {
      if (known.size <= most) break;
      known.delete(oldest);
    }
    return answer;
  };
}
