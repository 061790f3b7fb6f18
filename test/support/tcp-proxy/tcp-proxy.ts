import { connect, createServer, type Socket } from 'node:net';

/** Bytes pass through, until the test does something to them. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections were taken in all. */
  readonly accepted: number;
  /** From now on nothing that the server sends arrives; nobody is told. */
  blackHole(): void;
  /** Resets all open connections. New ones pass, unless `refuse` says otherwise. */
  resetAll(): void;
  refuse(on: boolean): void;
  /** Lets everything of new connections through again. */
  heal(): void;
  stop(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let refusing = false;
  let swallowing = false;
  let accepted = 0;

  const server = createServer((near) => {
    accepted += 1;
    if (refusing) return void near.resetAndDestroy();
    const far = connect(target);
    let deaf = swallowing;
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
    }
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => {
      deaf ||= swallowing;
      if (!deaf) near.write(bytes);
    });
    near.once('close', () => far.destroy());
    far.once('close', () => {
      if (!deaf) near.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

  return {
    port: address.port,
    get accepted() {
      return accepted;
    },
    blackHole() {
      swallowing = true;
    },
    resetAll() {
      for (const socket of open) socket.resetAndDestroy();
    },
    refuse(on) {
      refusing = on;
    },
    heal() {
      swallowing = false;
      refusing = false;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
