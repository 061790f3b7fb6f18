import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Watch } from '../api/watch.ts';
import type { World } from '../api/world.ts';
import { type Kind, storeKeyOf } from '../model/kind.ts';
import { Refusal, tooLarge } from '../model/status.ts';
import type { Access } from './access.ts';
import type { Answer } from './answer.ts';
import type { Certificates } from './certificates.ts';
import { type Fault, Faults } from './faults.ts';
import { Seen } from './seen.ts';
import type { Api } from './serve.ts';

/** Bytes of a request body; the API server takes no more. */
const bodyLimit = 3 * 1_024 * 1_024;
/** Bytes after which a client that goes on writing is cut off. */
const drainLimit = 64 * 1_024 * 1_024;

const closing = new WeakSet<Server>();

interface Options {
  readonly port: number;
  readonly certificates?: Certificates;
  readonly bookmarkInterval: number;
  /** Bytes a watch may be behind before it is ended. */
  readonly watchBuffer: number;
}

/** HTTP around the API: connections, bodies, watches, and the faults a test asks for. */
export class Listener {
  readonly faults = new Faults();
  readonly seen: Seen;
  readonly watches = new Set<Watch>();
  private readonly world: World;
  private readonly api: Api;
  private readonly access: Access;
  private readonly options: Options;
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port: number;
  private held: Promise<void> | undefined;
  private release: () => void = () => {};

  constructor(world: World, api: Api, access: Access, options: Options) {
    this.world = world;
    this.api = api;
    this.access = access;
    this.options = options;
    this.port = options.port;
    this.seen = new Seen(world.clock);
  }

  /** Listens; again on the same port after a refusal. */
  async listen(): Promise<void> {
    const { certificates } = this.options;
    const handle = (request: IncomingMessage, response: ServerResponse) => void this.handle(request, response);
    const server = certificates
      ? createTlsServer({ ...certificates.server, ca: certificates.ca, requestCert: true, rejectUnauthorized: false }, handle)
      : createServer(handle);
    server.keepAliveTimeout = 120_000;
    server.on(certificates ? 'secureConnection' : 'connection', (socket: Socket) => {
      // Its handshake was still going on when the others were cut: the server would wait for it without end.
      if (closing.has(server)) return void socket.destroy();
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    });
    // Handshakes fail in tests that offer the wrong authority.
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = portOf(server.address());
    this.server = server;
  }

  get url(): string {
    return `${this.options.certificates ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  dropConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Takes no connections any more, and cuts those there are. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    this.resume();
    for (const watch of [...this.watches]) watch.end();
    if (!server) return;
    closing.add(server);
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      this.dropConnections();
    });
  }

  pause(): void {
    this.held ??= new Promise((resolve) => {
      this.release = resolve;
    });
  }

  resume(): void {
    this.release();
    this.held = undefined;
  }

  endWatches(kind: Kind): void {
    for (const watch of [...this.watches]) if (storeKeyOf(watch.kind) === storeKeyOf(kind)) watch.end();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    this.seen.note(method, url);
    try {
      const body = await read(request);
      if (this.held) await this.held;
      const user = this.access.user(request, this.world.registry);
      const fault = this.faults.take({ method, url });
      if (fault && !fault.afterEffect) return fail(request, response, fault);
      const mark = url.indexOf('?');
      const path = mark < 0 ? url : url.slice(0, mark);
      const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
      const { 'content-type': contentType = '', accept, 'user-agent': agent = '' } = request.headers;
      const answer = this.api.answer({ method, path, query, body, contentType, accept, agent }, user);
      if (fault) return fail(request, response, fault);
      if ('watch' in answer) this.watch(answer, request, response);
      else send(response, answer.code, answer.body, answer);
    } catch (error) {
      if (error instanceof Refusal) return refuse(response, error);
      const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
      refuse(response, new Refusal(500, 'InternalError', message, { causes: [{ reason: '', message, field: '' }] }));
    }
  }

  private watch(answer: Extract<Answer, { watch: unknown }>, request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    const gone = new AbortController();
    const sink = {
      // Bounded: a reader that does not read is cut off, as the server does, instead of growing its buffer without end.
      write: (line: string) => {
        if (this.held) void this.held.then(() => response.write(line));
        else response.write(line);
        if (response.writableLength <= this.options.watchBuffer) return true;
        response.destroy();
        return false;
      },
      end: () => void response.end(),
    };
    const watch = answer.watch(sink, { bookmarks: this.options.bookmarkInterval, signal: gone.signal, show: answer.show });
    this.watches.add(watch);
    request.socket.setNoDelay(true);
    response.on('close', () => {
      this.watches.delete(watch);
      gone.abort();
    });
  }
}

const portOf = (address: AddressInfo | string | null): number => (address !== null && typeof address === 'object' ? address.port : 0);

/** The whole body; too large a one is read to its end, but not kept: an answer given while the client still writes is lost to it. */
function read(request: IncomingMessage): Promise<string> {
  if (request.method === 'GET') return Promise.resolve('');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bodyLimit) chunks.push(chunk);
      else if (size > drainLimit) request.destroy();
    });
    request.on('error', reject);
    request.on('end', () => (size > bodyLimit ? reject(tooLarge()) : resolve(Buffer.concat(chunks).toString('utf8'))));
  });
}

function send(
  response: ServerResponse,
  code: number,
  body: string,
  how: { readonly type?: string; readonly warnings?: readonly string[]; readonly retryAfter?: number } = {},
): void {
  const { warnings = [] } = how;
  if (how.retryAfter !== undefined) response.setHeader('retry-after', String(how.retryAfter));
  if (warnings.length > 0)
    response.setHeader(
      'warning',
      warnings.map((text) => `299 - ${JSON.stringify(text)}`),
    );
  response.writeHead(code, { 'content-type': how.type ?? 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) return void response.destroy();
  const details = refusal.status.details;
  const seconds =
    typeof details === 'object' && details !== null && 'retryAfterSeconds' in details ? Number(details.retryAfterSeconds) : undefined;
  // The rest of a body that is too large is not read: the connection can't be used again.
  if (refusal.code === 413) response.setHeader('connection', 'close');
  send(response, refusal.code, JSON.stringify(refusal.status), seconds === undefined ? {} : { retryAfter: seconds });
}

function fail(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  if (fault.code === undefined) return void request.socket.destroy();
  const { code, reason = 'InternalError', message = 'a fault the test asked for', retryAfterSeconds } = fault;
  refuse(response, new Refusal(code, reason, message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }));
}
