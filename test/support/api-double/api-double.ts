import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { inbox } from './inbox.ts';

/** One open watch, in the hand of the test. */
export interface DoubleWatch {
  /** The version it begins after, and the other parameters. */
  readonly params: Readonly<Record<string, string>>;
  send(type: string, object: object): void;
  bookmark(resourceVersion: string): void;
  raw(text: string): void;
  /** The server ends it in good order. */
  end(): void;
  /** The connection is reset in the middle. */
  reset(): void;
  /** Resolves when the client has let go of it. */
  readonly closed: Promise<void>;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = { status: number; body: unknown; headers?: Record<string, string> } | 'hang' | 'reset';

/**
 * A scripted API server: `answer` says what a request that is no watch gets, watches wait to be taken by the test. For faults only:
 * how a real one behaves is tested against a real one.
 */
export interface ApiDouble {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  answer: (request: SeenRequest) => Answer | Promise<Answer>;
  /** Refuses watches with this, or opens them when undefined. */
  refuseWatch: ((request: SeenRequest) => Answer | undefined) | undefined;
  /** The next watch that was opened, in order. */
  nextWatch(): Promise<DoubleWatch>;
  stop(): Promise<void>;
}

/** A Status object as the API server makes them. */
export const statusOf = (code: number, reason: string, message: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
  ...(details === undefined ? {} : { details }),
});

export async function startApiDouble(): Promise<ApiDouble> {
  const requests: SeenRequest[] = [];
  const watches = inbox<DoubleWatch>();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the double has no port');

  const double: ApiDouble = {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    answer: () => ({ status: 404, body: statusOf(404, 'NotFound', 'the double knows no answer') }),
    refuseWatch: undefined,
    nextWatch: () => watches.next(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const url = new URL(request.url ?? '/', double.url);
    const params = Object.fromEntries(url.searchParams);
    const seen = { method: request.method ?? '', path: url.pathname, params, headers: request.headers, body };
    requests.push(seen);
    const isWatch = params.watch === 'true';
    const given = isWatch ? double.refuseWatch?.(seen) : await double.answer(seen);
    if (given === undefined) return openWatch(response, params);
    if (given === 'hang') return;
    if (given === 'reset') return void response.socket?.resetAndDestroy();
    response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers });
    response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body));
  }

  function openWatch(response: ServerResponse, params: Record<string, string>): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const raw = (text: string) => void response.write(text);
    const send = (type: string, object: object) => raw(`${JSON.stringify({ type, object })}\n`);
    watches.put({
      params,
      send,
      raw,
      bookmark: (resourceVersion) => send('BOOKMARK', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion } }),
      end: () => void response.end(),
      reset: () => void response.socket?.resetAndDestroy(),
      closed: new Promise((resolve) => response.once('close', resolve)),
    });
  }
  return double;
}
