import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createValkeyConnection, type ValkeyConnection, type ValkeyOptions } from '../../../adapters/valkey/index.ts';
import type { Clock, Log } from '../../../domain/ports/index.ts';

/** The machine's own clock, for tests with a real server: it has a clock of its own anyway. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
  random: () => Math.random(),
};

export const testLog: Log = { debug() {}, info() {}, warn() {}, error() {}, component: () => testLog };

/** A started connection for a cluster of its own, so that tests share a server and see nothing of each other. */
export async function clusterOn(
  server: { readonly host?: string; readonly port: number },
  more: Partial<ValkeyOptions> = {},
): Promise<ValkeyConnection> {
  const connection = createValkeyConnection({
    host: server.host ?? '127.0.0.1',
    port: server.port,
    clusterId: randomUUID(),
    clock: systemClock,
    log: testLog,
    ...more,
  });
  await connection.start(new AbortController().signal);
  return connection;
}
