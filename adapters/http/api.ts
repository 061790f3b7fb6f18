import { ConfigurationInvalid, HttpAddressUnusable } from '../../domain/errors.ts';
import type { Module } from '../../domain/ports/index.ts';
import type { App } from './app.ts';
import { type Connections, trackConnections } from './connections.ts';
import { createContext } from './context.ts';
import type { HttpApiOptions, HttpParts } from './options.ts';
import { buildServer } from './server.ts';

export interface HttpApi extends Module {
  /** The port it listens on; throws before the start. */
  port(): number;
  /** Hands in what was not there when it was made. */
  provide(parts: Partial<HttpParts>): void;
  /** Readiness goes off and new requests are refused, what is under way goes on; `stop` follows. */
  drain(): void;
}

/** The HTTP API. It can serve `/healthz` before anything else is there. Throws `ConfigurationInvalid`; a port in use fails the start. */
export function createHttpApi(options: HttpApiOptions): HttpApi {
  const where = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(options.address);
  const port = Number(where?.[3]);
  if (!where || port > 65_535)
    throw ConfigurationInvalid({ text: `the address of the HTTP API has to be host:port or :port, not "${options.address}"` });
  const host = where[1] ?? where[2] ?? '';
  const log = options.log.component('http');
  const stopping = new AbortController();
  const context = createContext({ ...options, log }, stopping.signal);
  let app: App | undefined;
  let connections: Connections | undefined;
  let starting: Promise<void> | undefined;

  async function listen(signal: AbortSignal): Promise<void> {
    const built = await buildServer(context);
    if (signal.aborted || stopping.signal.aborted) return;
    connections = trackConnections(built.server);
    try {
      await listenOn(built, host, port);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw HttpAddressUnusable({ address: options.address, reason }, error);
    }
    app = built;
    log.info('listening', { port: portOf(built) });
  }

  return {
    name: 'http',
    port() {
      const found = app && portOf(app);
      if (found === undefined) throw new Error('the HTTP API does not listen yet');
      return found;
    },
    provide: (parts) => context.provide(parts),
    drain: () => stopping.abort(),
    async start(signal) {
      starting = listen(signal);
      await starting;
    },
    async stop({ deadline }) {
      stopping.abort();
      // Told to stop before it listened: the start has to end first, or the listener would outlive the stop.
      await starting?.catch(() => undefined);
      if (!app) return { dropped: [] };
      const timer = new AbortController();
      const closed = app.close().then(() => true);
      connections?.drain();
      const late = options.clock.sleep(deadline, timer.signal).then(
        () => false,
        () => true,
      );
      const inTime = await Promise.race([closed, late]);
      timer.abort();
      if (inTime) return { dropped: [] };
      const count = connections?.busy() ?? 0;
      app.server.closeAllConnections();
      await closed;
      return { dropped: [`${count} ${count === 1 ? 'request' : 'requests'} not answered in time`] };
    },
  };
}

/** All interfaces are `::`, which takes IPv4 too; where there is no IPv6 it is the other. */
async function listenOn(app: App, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host: host || '::', port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (host !== '' || (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL')) throw error;
    await app.listen({ host: '0.0.0.0', port });
  }
}

function portOf(app: App): number | undefined {
  const address = app.server.address();
  return typeof address === 'object' ? address?.port : undefined;
}
