import { StoreUnavailable, StoreUnsuitable } from '../../domain/errors.ts';
import type { Clock, Log, Module } from '../../domain/ports/index.ts';
import { type Calls, createCalls, library } from './calls.ts';
import { tagOf } from './keys.ts';
import { type Durability, examine, type Found } from './suitability.ts';
import { forgetIds, useLibrary } from './tidy.ts';
import { type Address, type Argument, createWire, type Wire } from './wire.ts';

export interface ValkeyOptions extends Address {
  readonly clusterId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Default `everysec`. */
  readonly durability?: Durability;
  /** Milliseconds after which a command without an answer counts as lost. Default 5,000. */
  readonly deadline?: number;
  /** Milliseconds that one blocking read waits for an event before it asks anew. Default 5,000. */
  readonly block?: number;
  /** Milliseconds that `start` waits for Valkey before it goes on trying in the background. Default 3,000. */
  readonly patience?: number;
}

export type ValkeyState =
  | { readonly status: 'ready'; readonly found: Found; readonly durability: Durability }
  | { readonly status: 'away'; readonly reason: string }
  | { readonly status: 'unsuitable'; readonly reason: string };

export interface ValkeyConnection extends Module {
  readonly clusterId: string;
  /** `{<cluster id>}`: every key begins with it, and every function gets it as KEYS[1]. */
  readonly tag: string;
  readonly clock: Clock;
  /** Milliseconds of one blocking read. */
  readonly block: number;
  /** For readiness and doctor. Asks nothing; it is what the connection last knew. */
  state(): ValkeyState;
  /** Resolves when commands are answered; rejects with StoreUnsuitable or the signal's reason. */
  whenReady(signal?: AbortSignal): Promise<void>;
  /** Runs a function of the library. Throws StoreUnavailable, StoreFull. */
  call(name: string, args: readonly Argument[]): Promise<unknown>;
  /** The same for what an answer is given for: waits for the disk when durability is `fsync`. */
  callDurably(name: string, args: readonly Argument[]): Promise<unknown>;
  /** Any command, on the connection of commands: for what is small and quick. */
  command(name: string, args: readonly Argument[]): Promise<unknown>;
  /** Any reading command, on a connection of its own: what is large must not stand before an append. */
  fetch(name: string, args: readonly Argument[]): Promise<unknown>;
  /** A new connection for one blocking reader; its owner closes it. */
  reader(name: string): Wire;
  /** Deletes function libraries that no process used for a day; the leader's work. */
  deleteUnusedLibraries(): Promise<readonly string[]>;
}

/** How often a process says that its library is in use, and forgets what is past. Far below the day after which others may act on it. */
const hourly = 3_600_000;

export function createValkeyConnection(options: ValkeyOptions): ValkeyConnection {
  const { clusterId, clock, durability = 'everysec', deadline = 5_000, block = 5_000, patience = 3_000 } = options;
  const log = options.log.component('valkey');
  const tag = tagOf(clusterId);
  const readers = new Set<Wire>();
  const waiting = new Set<() => void>();
  let state: ValkeyState = { status: 'away', reason: 'not started' };
  let unsuitable: unknown;
  const tidying = new AbortController();
  let wire: Wire | undefined;
  let bulk: Wire | undefined;
  let calls: Calls | undefined;

  const settle = (next: ValkeyState) => {
    state = next;
    if (next.status !== 'away') for (const wake of [...waiting]) wake();
  };
  const open = (name: string, more: { onUp?: () => void; onDown?: (reason: string) => void } = {}): Wire =>
    createWire({ ...options, deadline, name: `mogenius-operator/${name}`, ...more });

  const examineServer = async (fresh: Wire, with_: Calls) => {
    try {
      const found = await examine(fresh, durability);
      await with_.load();
      await useLibrary(with_.call, library);
      unsuitable = undefined;
      settle({ status: 'ready', found, durability });
      log.info('connected', { server: found.server, version: found.version, durability });
      for (const warning of found.warnings) log.warn(warning);
    } catch (error) {
      if (StoreUnsuitable.is(error)) {
        unsuitable = error;
        settle({ status: 'unsuitable', reason: error.message });
        log.error(error.message);
      } else if (fresh.up) fresh.reset(error instanceof Error ? error.message : 'the first commands failed');
    }
  };

  /** Failing is no harm: the next hour or another process does it. */
  const tidyHourly = async (with_: Calls, signal: AbortSignal) => {
    while (!signal.aborted) {
      await clock.sleep(hourly, signal).catch(() => undefined);
      if (signal.aborted || state.status !== 'ready') continue;
      await Promise.all([forgetIds(with_.call), useLibrary(with_.call, library)]).catch((error: unknown) =>
        log.debug('tidying failed', { error: String(error) }),
      );
    }
  };

  const whenReady = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (signal?.aborted) finish(() => reject(signal.reason));
        else if (state.status === 'ready') finish(resolve);
        else if (state.status === 'unsuitable') finish(() => reject(unsuitable));
      };
      const finish = (then: () => void) => {
        waiting.delete(look);
        signal?.removeEventListener('abort', look);
        then();
      };
      waiting.add(look);
      signal?.addEventListener('abort', look);
      look();
    });

  const ready = (): { wire: Wire; calls: Calls } => {
    if (state.status === 'ready' && wire && calls) return { wire, calls };
    throw state.status === 'unsuitable' ? unsuitable : StoreUnavailable({ reason: wire?.reason ?? 'not started' });
  };

  return {
    name: 'valkey',
    clusterId,
    tag,
    clock,
    block,
    state: () => (state.status === 'away' && wire ? { status: 'away', reason: wire.reason } : state),
    whenReady,
    async start(signal) {
      const fresh = open('commands', {
        onUp: () => void examineServer(fresh, made),
        onDown: (reason) => {
          settle({ status: 'away', reason });
          if (!tidying.signal.aborted) log.warn('connection lost', { reason });
        },
      });
      const made = createCalls(fresh, tag, durability === 'fsync');
      wire = fresh;
      calls = made;
      bulk = open('fetch');
      void tidyHourly(made, tidying.signal);
      const late = new AbortController();
      const tooLate = clock.sleep(patience, late.signal).then(
        () => log.warn('Valkey is away; trying on', { reason: fresh.reason }),
        () => {},
      );
      try {
        await Promise.race([whenReady(signal), tooLate]);
      } finally {
        late.abort();
      }
    },
    async stop() {
      tidying.abort();
      for (const one of [wire, bulk, ...readers]) one?.close();
      settle({ status: 'away', reason: 'stopped' });
      return { dropped: [] };
    },
    call: async (name, args) => ready().calls.call(name, args),
    callDurably: async (name, args) => ready().calls.callDurably(name, args),
    command: async (name, args) => ready().wire.send(name, args),
    async fetch(name, args) {
      const { wire } = ready();
      // A moment after the start only the first connection is there.
      return (bulk?.up ? bulk : wire).send(name, args);
    },
    reader(name) {
      const made = open(name);
      readers.add(made);
      return {
        get up() {
          return made.up;
        },
        get reason() {
          return made.reason;
        },
        send: made.send,
        whenUp: made.whenUp,
        reset: made.reset,
        close() {
          readers.delete(made);
          made.close();
        },
      };
    },
    async deleteUnusedLibraries() {
      const unused = await useLibrary(ready().calls.call, library);
      for (const name of unused)
        await ready()
          .wire.send('FUNCTION', ['DELETE', name])
          .catch(() => undefined);
      return unused;
    },
  };
}
