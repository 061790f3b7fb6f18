import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { ClusterUnavailable } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports/index.ts';
import type { ClusterAccess, Credentials } from './access/index.ts';
import { deadlineOf } from './deadline.ts';
import { createPools } from './pools.ts';

export interface Timeouts {
  /** Milliseconds until a connection stands. Default 5,000. */
  readonly connect?: number;
  /** Milliseconds for a whole request, its retries included. Default 30,000. */
  readonly request?: number;
}

export interface TransportOptions {
  readonly userAgent?: string;
  readonly timeouts?: Timeouts;
  /** Sockets for requests; more wait in line. Default 32. Streams have their own. */
  readonly connections?: number;
  readonly log: Log;
  /** Logs method and URL of each request at info (KUBERNETES_DEBUG). */
  readonly debug?: boolean;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, below the server's own path. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** HTTP to the API server: credentials, deadlines and the few retries that are safe. Any status is an answer; none throws `ClusterUnavailable`. */
export interface Transport {
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** A body that stays open. Only getting its head has a deadline. */
  stream(path: string, signal: AbortSignal): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

/** 429 and 503 with Retry-After are waited out this many times, within the deadline. */
const maxWaits = 5;

export function createTransport(access: ClusterAccess, options: TransportOptions): Transport {
  const { connect = 5_000, request: patience = 30_000 } = options.timeouts ?? {};
  const base = new URL(access.server);
  const prefix = base.pathname === '/' ? '' : base.pathname;
  const userAgent = options.userAgent ?? 'mogenius-operator';
  const pools = createPools(base.origin, { connect, connections: options.connections ?? 32, proxy: access.proxy });

  async function credentials(): Promise<Credentials> {
    try {
      return await access.credentials();
    } catch (error) {
      throw ClusterUnavailable({ reason: error instanceof Error ? error.message : 'no credentials' }, error);
    }
  }

  /** One attempt; refused credentials are refreshed once, which is safe for writes too: 401 means that nothing was done. */
  async function attempt(pool: 'requests' | 'streams', request: HttpRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    if (options.debug) options.log.info('request to the Kubernetes API', { method: request.method, url: access.server + request.path });
    for (let refreshed = false; ; refreshed = true) {
      const given = access.credentials();
      const { headers, tls } = given instanceof Promise ? await credentials() : given;
      const answer = await pools.of(pool, tls).request({
        method: request.method,
        path: prefix + request.path,
        headers: {
          accept: request.accept ?? 'application/json',
          'user-agent': userAgent,
          ...(request.contentType === undefined ? {} : { 'content-type': request.contentType }),
          ...headers,
        },
        body: request.body,
        signal,
      });
      if (answer.statusCode !== 401 || refreshed) return answer;
      await answer.body.dump();
      access.refresh();
    }
  }

  async function once(request: HttpRequest, signal: AbortSignal) {
    const answer = await attempt('requests', request, signal);
    const text = await answer.body.text();
    const retryAfter = Number(answer.headers['retry-after'] ?? Number.NaN);
    return { status: answer.statusCode, contentType: String(answer.headers['content-type'] ?? ''), text, retryAfter };
  }

  return {
    async request(request) {
      const deadline = deadlineOf(patience, request.signal);
      const read = request.method === 'GET';
      let failures = 0;
      let waits = 0;
      try {
        for (;;) {
          try {
            const answer = await once(request, deadline.signal);
            const busy = answer.status === 429 || answer.status === 503;
            if (!read || !busy || !Number.isFinite(answer.retryAfter) || ++waits > maxWaits) return answer;
            if (answer.retryAfter * 1000 > deadline.left()) return answer;
            await pause(answer.retryAfter * 1000, undefined, { signal: deadline.signal });
          } catch (error) {
            // A kept-alive socket may be closed by the server just as we write to it: the second try gets a fresh one.
            if (deadline.signal.aborted || !read || ++failures > 1) throw error;
          }
        }
      } catch (error) {
        throw deadline.explain(error, read);
      } finally {
        deadline.clear();
      }
    },
    async stream(path, signal) {
      const deadline = deadlineOf(patience, signal);
      // Once the head is there, only the caller ends it.
      const ends = new AbortController();
      const end = () => ends.abort(deadline.signal.reason);
      deadline.signal.addEventListener('abort', end, { once: true });
      if (deadline.signal.aborted) end();
      try {
        const answer = await attempt('streams', { method: 'GET', path }, ends.signal);
        const stop = () => ends.abort(signal.reason);
        signal.addEventListener('abort', stop, { once: true });
        answer.body.once('close', () => signal.removeEventListener('abort', stop));
        return answer;
      } catch (error) {
        throw deadline.explain(error, true);
      } finally {
        deadline.signal.removeEventListener('abort', end);
        deadline.clear();
      }
    },
    close: () => pools.close(),
  };
}
