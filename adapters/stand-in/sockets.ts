import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { handshakeHeaderNames } from '../../domain/wire/index.ts';
import type { StandInOptions } from './options.ts';

export type Kind = 'api' | 'events';

/** One connection an operator made, also after it ended. */
export interface Connection {
  readonly kind: Kind;
  readonly headers: Readonly<Record<string, string>>;
  /** The close code it ended with. */
  closed?: number;
}

/** How a peer can misbehave. */
export interface Manners {
  /** New connections are turned away with 503. */
  refuse: boolean;
  /** Pings are not answered. */
  mute: boolean;
}

export interface SocketsOptions extends StandInOptions {
  readonly onFrame: (kind: Kind, text: string) => void;
  readonly onChange: () => void;
}

const paths: Readonly<Record<string, Kind>> = { '/api': 'api', '/events': 'events' };

/** The server side: checks handshakes, keeps the open sockets by kind and remembers every connection. */
export function createSockets(options: SocketsOptions) {
  const open: Record<Kind, WebSocket[]> = { api: [], events: [] };
  const connections: Connection[] = [];
  let pings = 0;
  const manners: Manners = { refuse: false, mute: false };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: options.maxFrameBytes ?? 1024 * 1024 * 1024,
    perMessageDeflate: false,
    // Pongs are sent below, so that they can be withheld.
    autoPong: false,
  });
  const server: Server = options.tls ? createTlsServer(options.tls) : createServer();

  function headersOf(request: IncomingMessage): Record<string, string> {
    return Object.fromEntries(
      handshakeHeaderNames.flatMap((name) => {
        const value = request.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
    );
  }

  function refusalOf(kind: Kind | undefined, headers: Record<string, string>): string | undefined {
    if (manners.refuse) return '503 Service Unavailable';
    if (!kind) return '404 Not Found';
    if (handshakeHeaderNames.some((name) => headers[name] === undefined) || headers['x-app'] !== 'k8s') return '400 Bad Request';
    if (!headers['x-authorization'] || (options.apiKey !== undefined && headers['x-authorization'] !== options.apiKey))
      return '401 Unauthorized';
    return undefined;
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const kind = paths[request.url ?? ''];
    const headers = headersOf(request);
    const refused = refusalOf(kind, headers);
    socket.on('error', () => socket.destroy());
    if (refused || !kind) {
      socket.end(`HTTP/1.1 ${refused ?? '404 Not Found'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (peer) => welcome(kind, headers, peer));
  });

  function welcome(kind: Kind, headers: Record<string, string>, peer: WebSocket): void {
    const connection: Connection = { kind, headers };
    connections.push(connection);
    if (connections.length > 10_000) connections.shift();
    open[kind].push(peer);
    peer.on('error', () => undefined);
    peer.on('ping', (data) => {
      pings++;
      if (!manners.mute && peer.readyState === peer.OPEN) peer.pong(data);
    });
    peer.on('message', (data, binary) => options.onFrame(kind, binary ? '' : data.toString()));
    peer.on('close', (code) => {
      connection.closed = code;
      open[kind] = open[kind].filter((other) => other !== peer);
      options.onChange();
    });
    options.onChange();
  }

  return {
    open,
    connections,
    manners,
    get pings() {
      return pings;
    },
    /** Resolves with the port. */
    listen(): Promise<number> {
      return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(options.port ?? 0, '127.0.0.1', () => {
          const address = server.address();
          resolve(typeof address === 'object' && address ? address.port : 0);
        });
      });
    },
    /** Ends all connections with close frame 1001 and the server. */
    async shut(): Promise<void> {
      for (const peer of [...open.api, ...open.events]) peer.close(1001);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const peer of [...open.api, ...open.events]) peer.terminate();
      });
    },
  };
}
