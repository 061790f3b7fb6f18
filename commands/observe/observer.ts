import type { Term } from '../../domain/event/index.ts';
import { commandOf, gone, type KindListed, seen } from '../../domain/object/index.ts';
import {
  apiVersionOf,
  type Clock,
  type Cluster,
  type Directory,
  type EventStore,
  type Leadership,
  type Log,
  type Module,
  type ObjectChange,
  type ObjectSource,
  type Observation,
  type Reflector,
  type ReflectorStatus,
  type ResourceKind,
  type StoredObject,
} from '../../domain/ports/index.ts';

export interface ObserverOptions {
  readonly source: ObjectSource;
  readonly cluster: Cluster;
  readonly events: EventStore;
  readonly directory: Directory;
  readonly leadership: Leadership;
  readonly watched: readonly { readonly kind: ResourceKind; readonly namespace?: string }[];
  readonly clock: Clock;
  readonly log: Log;
}

export interface Observer extends Module {
  /** Lists everything anew: the log may have lost what was recorded. */
  relist(): void;
  /** One entry for each watched kind while this process leads; empty otherwise. */
  status(): readonly { readonly kind: string; readonly status: ReflectorStatus }[];
}

/** Observations in one call: the store's answer to a larger one would hold up everybody else's. */
const atOnce = 100;

/** Records what happens to the watched kinds. Only the leader does, so that every change is appended once and in the order the server told. */
export function createObserver(options: ObserverOptions): Observer {
  const { source, cluster, events, directory, leadership, watched, clock } = options;
  const log = options.log.component('watcher');
  const stopping = new AbortController();
  const following = new Map<ResourceKind, Reflector>();
  const ends = new Set<Promise<void>>();
  /** Aborted to begin anew under the same lead. */
  let round = new AbortController();

  async function append(observations: readonly Observation[], term: Term): Promise<void> {
    for (let at = 0; at < observations.length; at += atOnce) {
      const answers = await events.observe(observations.slice(at, at + atOnce), term);
      if (answers.some(({ outcome }) => outcome === 'superseded')) throw new Error('somebody newer leads');
    }
  }

  function follow(kind: ResourceKind, namespace: string | undefined, term: Term, signal: AbortSignal): void {
    const present = new Set<string>();
    const reflector = source.follow(kind, {
      ...(namespace === undefined ? {} : { namespace }),
      signal,
      handle: async (changes) => {
        await append(
          changes.map((change) => observationOf(kind, change, clock.now())),
          term,
        );
        for (const { type, object } of changes) {
          if (type === 'vanished') present.delete(object.metadata.uid);
          else present.add(object.metadata.uid);
        }
      },
    });
    following.set(kind, reflector);
    const end: Promise<void> = complete(kind, namespace, reflector, present, term, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn('a kind is not listed completely yet', { kind: kind.kind, error });
      })
      .finally(() => ends.delete(end));
    ends.add(end);
  }

  /** Once the first list was recorded: what the log still holds and the cluster does not is recorded as gone, then the kind as listed. */
  async function complete(
    kind: ResourceKind,
    namespace: string | undefined,
    reflector: Reflector,
    present: ReadonlySet<string>,
    term: Term,
    signal: AbortSignal,
  ): Promise<void> {
    await reflector.synced(signal);
    await directory.caughtUp(await events.end(), 30_000);
    const missing: Observation[] = [];
    for (const object of directory.list(kind, namespace)) {
      if (present.has(object.metadata.uid)) continue;
      // It may have been made after the list: only the server knows.
      const current = await cluster.get(kind, object.metadata, { signal });
      if (current?.metadata.uid !== object.metadata.uid) missing.push(gone({ kind, object, time: iso(clock.now()) }));
    }
    await append(missing, term);
    const data: KindListed = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      plural: kind.plural,
      objects: present.size,
      ...(namespace === undefined ? {} : { namespace }),
    };
    await events.append({
      stream: `watch/${kind.group || 'core'}/${kind.plural}`,
      expected: 'any',
      id: `watch/${kind.group}/${kind.plural}/${term}`,
      term,
      events: [{ type: 'KindListed', schema: 1, time: iso(clock.now()), data, actor: { source: 'operator', name: 'watcher' } }],
    });
  }

  return {
    name: 'watcher',
    status: () => [...following].map(([kind, reflector]) => ({ kind: `${apiVersionOf(kind)}/${kind.kind}`, status: reflector.status() })),
    relist: () => round.abort(),
    async start() {
      leadership.onLead((term, signal) => {
        const lead = AbortSignal.any([signal, stopping.signal]);
        const begin = () => {
          if (lead.aborted) return;
          round = new AbortController();
          const until = AbortSignal.any([lead, round.signal]);
          following.clear();
          for (const { kind, namespace } of watched) follow(kind, namespace, term, until);
          round.signal.addEventListener('abort', begin, { once: true });
        };
        begin();
        lead.addEventListener('abort', () => following.clear(), { once: true });
      });
    },
    async stop() {
      stopping.abort();
      await Promise.allSettled(ends);
      return { dropped: [] };
    },
  };
}

function observationOf(kind: ResourceKind, change: ObjectChange, now: number): Observation {
  const time = iso(now);
  const object: StoredObject = change.object;
  switch (change.type) {
    case 'appeared':
      return seen('ObjectAppeared', { kind, object, time, ...named(commandOf(object)) });
    case 'changed':
      return seen('ObjectChanged', { kind, object, time, ...named(commandOf(object, change.before)) });
    case 'vanished':
      return gone({ kind, object, time, ...(change.resourceVersion === undefined ? {} : { resourceVersion: change.resourceVersion }) });
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();

const named = (command: string | undefined) => (command === undefined ? {} : { command });
