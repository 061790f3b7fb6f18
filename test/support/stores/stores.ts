import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createEmbeddedStore } from '../../../adapters/embedded/index.ts';
import {
  createValkeyCommandLog,
  createValkeyEventStore,
  createValkeyLogKeeper,
  type ValkeyConnection,
} from '../../../adapters/valkey/index.ts';
import type { CommandLog, EventStore, LogKeeper } from '../../../domain/ports/index.ts';
import { createFakeClock } from '../fake-clock/index.ts';
import { clusterOn, type ValkeyServer, valkeyServer } from '../valkey/index.ts';

export interface StoreOptions {
  readonly perAggregate?: number;
  readonly inAll?: number;
  readonly keepResults?: number;
  readonly grace?: number;
}

export interface StoreUnderTest {
  readonly events: EventStore;
  readonly commands: CommandLog;
  readonly keeper: LogKeeper;
  /** Epoch ms by the store's own clock. */
  now(): Promise<number>;
  /** Returns when so many milliseconds have passed on the store's own clock. Small numbers only: a server's clock is real. */
  passes(ms: number): Promise<void>;
  /** A second client of the same log, as another replica has it. */
  again(): Promise<StoreUnderTest>;
}

export type OpenStore = (options?: StoreOptions) => Promise<StoreUnderTest>;

/** To be called in a describe block: each gives an empty store per call and closes what was opened after each test. */
export function embeddedMemory(): OpenStore {
  return embedded(() => undefined);
}

export function embeddedFile(): OpenStore {
  let folder = '';
  let n = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mogenius-embedded-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return embedded(() => join(folder, `${n++}.jsonl`));
}

function embedded(file: () => string | undefined): OpenStore {
  const opened: { close(): void }[] = [];
  afterEach(() => {
    for (const store of opened.splice(0)) store.close();
  });
  return async (bounds = {}) => {
    const clock = createFakeClock();
    const store = createEmbeddedStore({ clusterId: 'test', clock, file: file(), bounds });
    opened.push(store);
    const under: StoreUnderTest = {
      ...store,
      now: async () => clock.now(),
      passes: (ms) => clock.advance(ms),
      again: async () => under,
    };
    return under;
  };
}

export function valkeyStore(): OpenStore {
  let server: ValkeyServer;
  const opened: ValkeyConnection[] = [];
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterEach(async () => {
    for (const connection of opened.splice(0)) await connection.stop({ deadline: 0 });
  });
  afterAll(() => server.stop());
  const open = async (options: StoreOptions, clusterId?: string): Promise<StoreUnderTest> => {
    const connection = await clusterOn(server, clusterId === undefined ? {} : { clusterId });
    opened.push(connection);
    const now = async () => {
      const time = await connection.command('TIME', []);
      const [seconds, micros] = Array.isArray(time) ? time.map(Number) : [];
      return (seconds ?? 0) * 1_000 + Math.floor((micros ?? 0) / 1_000);
    };
    return {
      events: createValkeyEventStore(connection),
      commands: createValkeyCommandLog(connection, options),
      keeper: createValkeyLogKeeper(connection),
      now,
      async passes(ms) {
        const until = (await now()) + ms;
        while ((await now()) < until);
      },
      again: () => open(options, connection.clusterId),
    };
  };
  return (options = {}) => open(options);
}
