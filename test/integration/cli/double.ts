import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** A value is answered as JSON with status 200; a function answers itself. */
type Answer = unknown | ((request: Seen, response: ServerResponse) => void);

/** An HTTP server that answers `METHOD /path` with what it was given, and remembers what it was asked. */
export async function httpDouble(answers: Readonly<Record<string, Answer>>) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://double');
    const body = await text(request);
    const asked: Seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: body === '' ? undefined : JSON.parse(body),
    };
    seen.push(asked);
    const answer = answers[`${asked.method} ${asked.path}`];
    if (typeof answer === 'function') answer(asked, response);
    else if (answer === undefined) refuse(response, 404, 'NOT_FOUND', `nothing is served at ${asked.path}`);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the double has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { code, message, status, remedy: `the remedy of ${code}` } }));
}

export function sse(
  response: ServerResponse,
  ...messages: readonly { readonly event?: string; readonly id?: string; readonly data: unknown }[]
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { event, id, data } of messages)
    response.write(`${id ? `id: ${id}\n` : ''}${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
}
