import type { Result } from '../ports/index.ts';
import type { Datagram } from './datagram.ts';
import { wireUser } from './event.ts';
import { resultPayload } from './response.ts';

/**
 * The answer of `POST /socketapi`: the request again with its payload replaced. Never compressed; `zlib` is only echoed.
 * A pattern nobody serves has a text of its own there.
 */
export function socketApiResponse(datagram: Datagram, result: Result): Readonly<Record<string, unknown>> {
  const { payload: _, user, ...rest } = datagram;
  const payload = 'unknownPattern' in result ? { status: 'error', message: 'Pattern not found' } : resultPayload(result);
  return { ...rest, user: wireUser(user), payload };
}
