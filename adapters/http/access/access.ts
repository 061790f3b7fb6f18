import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AccessDenied } from '../../../domain/errors.ts';
import type { Clock } from '../../../domain/ports/index.ts';
import type { HttpLimits, Tokens } from '../options.ts';
import { isLoopback, refusedHere } from './loopback.ts';
import { rememberReviews } from './reviews.ts';

/** Who calls. `name` is set when Kubernetes told it. */
export interface Caller {
  readonly by: 'token' | 'kubernetes' | 'loopback';
  readonly name?: string;
}

export type Guard = (request: Pick<IncomingMessage, 'headers' | 'method' | 'socket'>) => Promise<Caller>;

const sameText = (a: string, b: string): boolean => timingSafeEqual(hash(a), hash(b));
const hash = (text: string) => createHash('sha256').update(text).digest();

/** Lets a request pass or throws `AccessDenied`. A token that is sent has to be right, also from this machine. */
export function createGuard(tokens: Tokens, limits: HttpLimits, clock: Clock): Guard {
  const { bearer, groups = ['system:masters'] } = tokens;
  const review = tokens.review && rememberReviews(tokens.review, limits.reviewCache, clock);

  return async ({ headers, method, socket }) => {
    const { authorization } = headers;
    if (authorization === undefined) {
      if (!isLoopback(socket.remoteAddress)) throw AccessDenied({ reason: 'this route needs a token' });
      const reason = refusedHere({ headers, method });
      if (reason !== undefined) throw AccessDenied({ reason });
      return { by: 'loopback' };
    }
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) throw AccessDenied({ reason: 'the Authorization header is no bearer token' });
    const configured = bearer?.();
    if (configured && sameText(token, configured)) return { by: 'token' };
    const who = await review?.(token);
    if (who === undefined) throw AccessDenied({ reason: 'the token is not valid here' });
    if (!who.groups.some((group) => groups.includes(group)))
      throw AccessDenied({ reason: `${who.username} may not call: it is in none of the groups ${groups.join(', ')}` });
    return { by: 'kubernetes', name: who.username };
  };
}
