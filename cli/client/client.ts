import { z } from 'zod';
import { CommandFailed } from '../frame/index.ts';
import { type ServerMessage, serverMessages } from './sse.ts';

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The HTTP API of an operator. Every method throws `CommandFailed` with a sentence and a hint. */
export interface Client {
  readonly server: string;
  get<T>(path: string, answer: z.ZodType<T>, query?: Query): Promise<T>;
  /** With `anyStatus`, a body of the right form counts as the answer whatever the status says. */
  post<T>(path: string, answer: z.ZodType<T>, body: unknown, how?: { readonly anyStatus?: boolean }): Promise<T>;
  /** The status and the JSON whatever the status is: for questions where "not ready" is an answer. */
  ask(path: string): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Server-sent events until the server ends or the signal aborts. With `body` it is a POST. An answer in JSON comes as one message `answer`. */
  stream(path: string, how: { readonly query?: Query; readonly after?: string; readonly body?: unknown }): AsyncIterable<ServerMessage>;
}

export interface ClientOptions {
  readonly server: string;
  /** Bearer token; empty: none. */
  readonly token: string;
  readonly signal: AbortSignal;
  /** Milliseconds an answer may take. Streams have no end of their own. */
  readonly timeout: number;
}

/** The one shape of an error; an answer of `/socketapi` or of something in between may have less. */
const refusal = z.object({ error: z.object({ code: z.string(), message: z.string(), remedy: z.string().optional() }) });

export function createClient(options: ClientOptions): Client {
  const base = options.server.replace(/\/+$/, '');

  async function send(path: string, how: { query?: Query | undefined; init?: RequestInit; timeout?: number }): Promise<Response> {
    const url = new URL(base + path);
    for (const [key, value] of Object.entries(how.query ?? {})) if (value !== undefined) url.searchParams.set(key, String(value));
    const timeout = how.timeout ?? options.timeout;
    const signal = timeout > 0 ? AbortSignal.any([options.signal, AbortSignal.timeout(timeout)]) : options.signal;
    const headers = new Headers(how.init?.headers);
    if (options.token !== '') headers.set('authorization', `Bearer ${options.token}`);
    headers.set('accept', headers.get('accept') ?? 'application/json');
    try {
      // A redirect would carry the token to whoever the answer names.
      return await fetch(url, { ...how.init, headers, signal, redirect: 'manual' });
    } catch (error) {
      options.signal.throwIfAborted();
      throw unreachable(base, error, timeout);
    }
  }

  async function answered<T>(response: Response, answer: z.ZodType<T>, anyStatus = false): Promise<T> {
    const body = await json(base, response);
    if (!response.ok && !(anyStatus && answer.safeParse(body).success)) throw refused(base, response.status, body, options.token !== '');
    const parsed = answer.safeParse(body);
    if (parsed.success) return parsed.data;
    throw new CommandFailed(`${base} answers in a form this release doesn't know: ${firstIssue(parsed.error)}`, {
      hint: 'Use the command line of the same release as the operator (`mogenius-operator version`).',
    });
  }

  const posted = (body: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  return {
    server: base,
    get: async (path, answer, query) => answered(await send(path, { query }), answer),
    post: async (path, answer, body, how) => answered(await send(path, { init: posted(body) }), answer, how?.anyStatus),
    async ask(path) {
      const response = await send(path, {});
      return { status: response.status, body: await json(base, response) };
    },
    async *stream(path, { query, after, body }) {
      const init: RequestInit = body === undefined ? {} : posted(body);
      const headers = new Headers(init.headers);
      headers.set('accept', 'text/event-stream');
      if (after !== undefined) headers.set('last-event-id', after);
      const response = await send(path, { query, init: { ...init, headers }, timeout: 0 });
      if (!response.ok) throw refused(base, response.status, await json(base, response), options.token !== '');
      if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) yield* serverMessages(response.body);
      else yield { event: 'answer', data: JSON.stringify(await json(base, response)) };
    },
  };
}

async function json(server: string, response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailed(`${server} answers ${response.status} with something that is not JSON`, {
      hint: 'Check --server: it has to be the address of the operator itself.',
    });
  }
}

function unreachable(server: string, error: unknown, timeout: number): CommandFailed {
  if (error instanceof Error && error.name === 'TimeoutError')
    return new CommandFailed(`${server} did not answer within ${timeout / 1000} s`, {
      hint: 'It may be busy or hang: see its log.',
      cause: error,
    });
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason =
    cause instanceof AggregateError
      ? (cause.errors.map(String)[0] ?? cause.message)
      : cause instanceof Error
        ? cause.message
        : String(cause);
  return new CommandFailed(`no operator answers at ${server}: ${reason}`, {
    hint: 'Start one with `mogenius-operator cluster`, or name another with --server or MO_SERVER.',
    cause: error,
  });
}

/** The operator answered, and it answered no. */
export class Refused extends CommandFailed {
  readonly status: number;
  constructor(status: number, message: string, hint: string | undefined) {
    super(message, hint === undefined ? {} : { hint });
    this.status = status;
  }
}

function refused(server: string, status: number, body: unknown, sentToken: boolean): Refused {
  const { code, message, remedy } = refusal.safeParse(body).data?.error ?? { code: undefined, message: `it answers with status ${status}` };
  const hint = hintFor(status, sentToken) ?? remedy;
  return new Refused(status, `${server} refuses: ${message}${code ? ` (${code})` : ''}`, hint);
}

function hintFor(status: number, sentToken: boolean): string | undefined {
  if (status === 401 || status === 403)
    return sentToken
      ? 'The token is not the right one: check MO_HTTP_TOKEN or --token-file.'
      : 'Set MO_HTTP_TOKEN, or give a file with --token-file.';
  return status === 503 ? '`mogenius-operator doctor` says what is missing.' : undefined;
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.') || 'the answer'}: ${issue.message}` : 'unknown';
}
