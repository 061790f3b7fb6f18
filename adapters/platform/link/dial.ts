import { getCACertificates } from 'node:tls';
import WebSocket from 'ws';
import type { Clock } from '../../../domain/ports/index.ts';
import type { HandshakeHeaders } from '../../../domain/wire/index.ts';
import { proxyFor } from './proxy.ts';

/** How certificates of the platform are checked. */
export interface TlsTrust {
  /** Any certificate will do. */
  readonly skipVerification?: boolean;
  /** PEM texts that are trusted beside those of the system. */
  readonly extraAuthorities?: readonly string[];
}

export interface DialOptions {
  readonly url: string;
  readonly headers: HandshakeHeaders;
  readonly tls: TlsTrust;
  readonly maxFrameBytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const handshakeTimeout = 45_000;

/** Opens one connection. It comes paused: a frame that arrives with the handshake would find nobody listening. Rejects with the reason. */
export async function dial(options: DialOptions): Promise<WebSocket> {
  const { signal, clock } = options;
  signal.throwIfAborted();
  const url = new URL(options.url);
  const agent = proxyFor(url);
  const socket = new WebSocket(url, {
    headers: options.headers,
    ...(agent ? { agent } : {}),
    ...(options.tls.skipVerification ? { rejectUnauthorized: false } : {}),
    ...(options.tls.extraAuthorities?.length ? { ca: [...getCACertificates('default'), ...options.tls.extraAuthorities] } : {}),
    // Payloads are compressed already.
    perMessageDeflate: false,
    maxPayload: options.maxFrameBytes,
    // One broken character must not cost the connection and all that runs on it.
    skipUTF8Validation: true,
  });
  const settled = new AbortController();
  try {
    return await new Promise<WebSocket>((resolve, reject) => {
      // Stays for good: an error that nobody listens to would end the process.
      socket.on('error', reject);
      socket.once('open', () => {
        socket.pause();
        resolve(socket);
      });
      // The library's own time-out starts only when it has a socket: a proxy that accepts and says nothing would hold us for ever.
      clock.sleep(handshakeTimeout, AbortSignal.any([signal, settled.signal])).then(
        () => reject(new Error(`no handshake within ${handshakeTimeout / 1000} s`)),
        (reason) => reject(reason),
      );
    });
  } catch (error) {
    socket.terminate();
    throw error;
  } finally {
    settled.abort();
  }
}

/** Where a link leads, for people: without user, password and query. */
export function placeOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
