import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** Looks at bytes on their way. `swallow`: they and all later ones of this socket vanish, and the socket is cut; `cut`: the socket breaks now. */
export type ProxyRule = (bytes: Buffer) => 'pass' | 'swallow' | 'cut';

export interface ValkeyProxy {
  readonly port: number;
  /** Applied to what the client sends, until the next rule. */
  onRequest(rule: ProxyRule): void;
  /** Applied to what the server answers. */
  onReply(rule: ProxyRule): void;
  /** Holds answers back until `release`. */
  hold(): void;
  release(): void;
  /** What is connected now carries nothing any more, without a sign of it: half-open sockets. Later connections work. */
  freeze(): void;
  cutAll(): void;
  close(): Promise<void>;
}

const pass: ProxyRule = () => 'pass';

/** A TCP proxy before a server that loses, holds back and cuts what a test wants. */
export async function valkeyProxy(target: { readonly host: string; readonly port: number }): Promise<ValkeyProxy> {
  let request = pass;
  let reply = pass;
  let holding = false;
  const held: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    const both = [client, upstream];
    const cut = () => {
      for (const socket of both) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    const carry = (from: Socket, to: Socket, rule: () => ProxyRule, mayHold: boolean) => {
      from.on('data', (bytes: Buffer) => {
        if (frozen.has(from)) return;
        const deliver = () => {
          const verdict = rule()(bytes);
          if (verdict === 'pass') to.write(bytes);
          else cut();
        };
        if (mayHold && holding) held.push(deliver);
        else deliver();
      });
    };
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', cut);
    }
    carry(client, upstream, () => request, false);
    carry(upstream, client, () => reply, true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const cutAll = () => {
    for (const socket of [...sockets]) socket.destroy();
  };
  return {
    port: address && typeof address === 'object' ? address.port : 0,
    onRequest: (rule) => {
      request = rule;
    },
    onReply: (rule) => {
      reply = rule;
    },
    hold: () => {
      holding = true;
    },
    release: () => {
      holding = false;
      for (const deliver of held.splice(0)) deliver();
    },
    freeze: () => {
      for (const socket of sockets) frozen.add(socket);
    },
    cutAll,
    async close() {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
