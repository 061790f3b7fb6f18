import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { createEmbeddedStore, createEmbeddedViewStore } from '../../adapters/embedded/index.ts';
import {
  createValkeyCommandLog,
  createValkeyConnection,
  createValkeyEventStore,
  createValkeyLogKeeper,
  createValkeyViewStore,
  type ValkeyConnection,
} from '../../adapters/valkey/index.ts';
import { type Configuration, valkeyTarget } from '../../domain/configuration/index.ts';
import type { Position } from '../../domain/event/index.ts';
import type {
  Archive,
  Clock,
  CommandLog,
  DependencyState,
  EventStore,
  Log,
  LogKeeper,
  Module,
  ViewStore,
} from '../../domain/ports/index.ts';

/** Where the log and the views are. */
export interface Storage {
  readonly events: EventStore;
  readonly commands: CommandLog;
  readonly views: ViewStore;
  readonly keeper: LogKeeper;
  readonly connection: Module;
  /** Resolves when calls are answered. Throws `StoreUnsuitable` for what a person must change. */
  ready(signal: AbortSignal): Promise<void>;
  state(): DependencyState;
  /** Another value for each connection that was made; undefined while there is none. */
  session(): unknown;
  /** Whether the log holds this event there; `absent` when it lost it. */
  has(position: Position, eventId: string): Promise<'present' | 'trimmed' | 'absent'>;
  /** The highest term that was written: a Lease made anew starts above it. */
  storedTerm(): Promise<number>;
}

interface StorageOptions {
  readonly clusterId: string;
  /** Where outcomes are found that were trimmed before their ids were forgotten. */
  readonly archive?: Archive | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export function valkeyStorage(config: Configuration, { clusterId, archive, clock, log }: StorageOptions): Storage {
  const { tls, ...target } = valkeyTarget(config);
  const connection = createValkeyConnection({
    ...(tls ? { tls: tlsOf(tls, target.host) } : {}),
    ...target,
    clusterId,
    clock,
    log,
    durability: config.get('MO_EVENT_DURABILITY'),
  });
  const events = createValkeyEventStore(connection);
  return {
    events,
    commands: createValkeyCommandLog(connection, archive ? { archive } : {}),
    views: createValkeyViewStore(connection),
    keeper: createValkeyLogKeeper(connection),
    connection,
    ready: (signal) => connection.whenReady(signal),
    state: () => stateOf(connection),
    session: () => (connection.state().status === 'ready' ? connection.state() : undefined),
    has: events.has,
    storedTerm: events.term,
  };
}

function tlsOf({ verify, caFile }: { readonly verify: boolean; readonly caFile: string }, servername: string): ConnectionOptions {
  return { minVersion: 'TLSv1.2', servername, rejectUnauthorized: verify, ...(caFile ? { ca: readFileSync(caFile) } : {}) };
}

function stateOf(connection: ValkeyConnection): DependencyState {
  const state = connection.state();
  if (state.status !== 'ready') return { name: 'valkey', state: 'failed', required: true, reason: state.reason };
  if (state.durability === 'memory') {
    return {
      name: 'valkey',
      state: 'degraded',
      required: true,
      reason: 'MO_EVENT_DURABILITY=memory: a restart of Valkey loses the log. Use everysec or fsync with appendonly yes.',
    };
  }
  return { name: 'valkey', state: 'ok', required: true, reason: `durability ${state.durability}` };
}

/** For a person without Valkey: the log in the memory of this process and in a file. One process at a time. */
export function embeddedStorage(file: string, { clusterId, clock }: StorageOptions): Storage {
  const store = createEmbeddedStore({ clusterId, clock, file });
  return {
    events: store.events,
    commands: store.commands,
    views: createEmbeddedViewStore({ clock }),
    keeper: store.keeper,
    connection: {
      name: 'embedded-log',
      start: async () => undefined,
      async stop() {
        store.close();
        return { dropped: [] };
      },
    },
    ready: async () => undefined,
    state: () => ({
      name: 'valkey',
      state: 'degraded',
      required: true,
      reason: 'the embedded log is used: for one process, without Valkey',
    }),
    session: () => store,
    has: async () => 'present',
    storedTerm: async () => store.term(),
  };
}
