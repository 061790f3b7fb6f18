import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { ClusterTls } from './access/index.ts';

export interface Pools {
  of(use: 'requests' | 'streams', tls: ClusterTls): Pick<Dispatcher, 'request'>;
  close(): Promise<void>;
}

interface Dispatching {
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

/** The API server closes an idle connection after 90 s; letting go earlier keeps a request from meeting that moment. */
const idle = 60_000;
/** One stream per watched kind; a cluster with more kinds than this would be a surprise. */
const maxStreams = 1_024;
const maxAnswer = 256 * 1024 * 1024;

/** Sockets by use: a hundred open watches must not keep a command waiting. New certificates get new sockets, the old ones finish what they do. */
export function createPools(origin: string, how: { connect: number; connections: number; proxy?: string }): Pools {
  const current = new Map<string, { tls: ClusterTls; dispatcher: Dispatching }>();

  function make(use: 'requests' | 'streams', tls: ClusterTls): Dispatching {
    const options = {
      // HTTP/1.1: one slow stream of a shared HTTP/2 connection would hold up all others, and a lost connection all watches at once.
      allowH2: false,
      connections: use === 'requests' ? how.connections : maxStreams,
      pipelining: 1,
      keepAliveTimeout: idle,
      keepAliveMaxTimeout: idle,
      // Deadlines are the caller's; a watch may rightly be silent.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: use === 'requests' ? maxAnswer : -1,
    };
    const connect = { ...tls, timeout: how.connect, keepAlive: true, keepAliveInitialDelay: 30_000 };
    if (how.proxy === undefined) return new Pool(origin, { ...options, connect });
    const proxy = new ProxyAgent({ ...options, uri: how.proxy, requestTls: connect });
    return {
      request: (request) => proxy.request({ ...request, origin }),
      close: () => proxy.close(),
      destroy: () => proxy.destroy(),
    };
  }

  return {
    of(use, tls) {
      const found = current.get(use);
      if (found?.tls === tls) return found.dispatcher;
      const dispatcher = make(use, tls);
      current.set(use, { tls, dispatcher });
      // It may be destroyed before its last stream ends: that is nobody's error.
      found?.dispatcher.close().catch(() => undefined);
      return dispatcher;
    },
    async close() {
      const all = [...current.values()];
      current.clear();
      await Promise.all(all.map(({ dispatcher }) => dispatcher.destroy()));
    },
  };
}
