import type { Socket } from 'node:net';
import type { ErrorBody } from './errors.ts';

const refusals: Readonly<Record<string, readonly [status: string, code: string, message: string, remedy: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'REQUEST_INVALID',
    'the headers are too large',
    'Send fewer or shorter headers.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'REQUEST_INVALID', 'the request did not come in time', 'Send it again, faster.'],
};
const malformed = ['400 Bad Request', 'REQUEST_INVALID', 'this is no valid HTTP request', 'Speak HTTP/1.1.'] as const;

/** What came on the socket is no request a route could see: told in the one shape all the same, then closed. */
export function answerBroken(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) return void socket.destroy();
  const [status, code, message, remedy] = refusals[error.code ?? ''] ?? malformed;
  const body: ErrorBody = { error: { code, message, status: Number.parseInt(status, 10), remedy } };
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + text, () => socket.destroy());
}
