import type { Result } from '../ports/index.ts';
import { longerThan } from './bytes.ts';

/** Longer results are compressed. */
export const plainLimit = 1024;

/** Compresses a text (UTF-8, RFC 1950, default level) and gives the standard base64 of that. */
export type Deflate = (text: string) => string | Promise<string>;

/** The result union as it stands in a response: keys in the wire's order, an empty message left out, `data` always there. */
export function resultPayload(result: Result): Readonly<Record<string, unknown>> {
  const message = result.message ? { message: result.message } : {};
  if ('unknownPattern' in result) return { status: result.status, ...message };
  const data = result.data === undefined ? null : result.data;
  if (result.status === 'success') return { status: result.status, ...message, data };
  return { status: result.status, ...message, statusCode: result.statusCode, data };
}

/** An error as result, for what is refused before a handler could give the zero value of its response type. */
export const refusal = (message: string, statusCode: number): Result => ({ status: 'error', message, statusCode, data: null });

/**
 * The response datagram as text. Throws what JSON.stringify throws for data that is none.
 * When the compression fails the plain form is sent: it is longer, but right.
 */
export async function encodeResponse(
  request: { readonly id: string; readonly pattern: string },
  result: Result,
  deflate: Deflate,
): Promise<string> {
  const payload = JSON.stringify(resultPayload(result));
  if ('unknownPattern' in result || !longerThan(payload, plainLimit)) return frame(request, payload, false);
  try {
    return frame(request, JSON.stringify(await deflate(payload)), true);
  } catch {
    return frame(request, payload, false);
  }
}

/** The payload is JSON already: large ones are not serialised twice. */
function frame({ id, pattern }: { readonly id: string; readonly pattern: string }, payload: string, zlib: boolean): string {
  const head = `{"id":${JSON.stringify(id)},"pattern":${JSON.stringify(pattern)},"user":{"apiKey":{}},"payload":${payload}`;
  return zlib ? `${head},"zlib":true}` : `${head}}`;
}
