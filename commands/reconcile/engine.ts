import { asOperatorError, ClusterRefused } from '../../domain/errors.ts';
import type { RecordedEvent, Term } from '../../domain/event/index.ts';
import { grants } from '../../domain/kinds.ts';
import { objectVanished } from '../../domain/object/index.ts';
import type {
  Clock,
  Cluster,
  Directory,
  EventStore,
  Leadership,
  Leftovers,
  Log,
  Metrics,
  Module,
  ObjectRef,
  StoredObject,
} from '../../domain/ports/index.ts';
import { guardWrites } from '../pipeline/index.ts';
import { conditionsOf, mergeConditions } from './conditions.ts';
import { grantLabel } from './grant.ts';
import { type After, createWorkQueue } from './queue.ts';
import { createResults, type ReconcilerStatus } from './results.ts';
import type { Reconciler, StepContext, StepResult } from './step.ts';

export interface ReconcileOptions {
  readonly reconcilers: readonly Reconciler[];
  readonly cluster: Cluster;
  readonly directory: Directory;
  readonly events: EventStore;
  readonly leadership: Leadership;
  readonly ownNamespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether commands are under way: a person waits for those, and passes let them go first. */
  readonly yields?: () => boolean;
  /** ms between two looks at everything, for what changed without an event. */
  readonly driftInterval: number;
}

export interface ReconcileEngine extends Module {
  /** Told of every event that the log's reader sees. */
  seen(event: RecordedEvent): void;
  /** Something outside the log changed that concerns an object: it is looked at. */
  look(kind: string, ref: ObjectRef): void;
  /** A RoleBinding changed behind our back: the grant it belongs to is looked at. */
  lookAtGrantOf(binding: StoredObject): void;
  /** For `GET /status`. */
  status(): ReconcilerStatus;
}

const concurrency = 8;

/** Keeps objects as their specs say: level-based, one leader, one pass per object at a time, one place that writes status. */
export function createReconcileEngine(options: ReconcileOptions): ReconcileEngine {
  const { reconcilers, directory, events, leadership, ownNamespace, clock, log, metrics } = options;
  const byPlural = new Map(reconcilers.map((one) => [one.kind.plural, one]));
  const durations = metrics.histogram('mogenius_operator_reconcile_duration_seconds', 'Time of one pass over an object.', [
    'resource',
    'operation',
  ]);
  const tracked = metrics.gauge('mogenius_operator_reconcile_tracked_objects', 'Objects that are kept as their spec says.', ['resource']);
  const results = createResults(() => clock.now());
  const newQueue = () => createWorkQueue({ clock, concurrency, ...(options.yields ? { yields: options.yields } : {}) });
  let queue = newQueue();
  /** Objects as the last pass saw them, to find what is left of those that vanish. One entry per tracked object. */
  const known = new Map<string, StoredObject>();
  let leading: Promise<void> | undefined;
  const stopping = new AbortController();

  const key = (plural: string, ref: ObjectRef) => `${plural}\n${ref.namespace ?? ''}\n${ref.name}`;

  async function pass(term: Term, signal: AbortSignal, at: string): Promise<After> {
    const [plural = '', namespace = '', name = ''] = at.split('\n');
    const reconciler = byPlural.get(plural);
    if (reconciler === undefined) return { requeue: 'no' };
    const ref = namespace === '' ? { name } : { name, namespace };
    const started = clock.monotonic();
    const acted: string[] = [];
    const object = directory.get(reconciler.kind, ref);
    const target = object ?? known.get(at);
    if (target === undefined) return { requeue: 'no' };
    const context = contextFor(target, acted, signal);
    const label = `${reconciler.kind.kind} ${name}`;
    try {
      if (object !== undefined) known.set(at, object);
      else {
        await reconciler.gone?.(context);
        known.delete(at);
        results.drop(reconciler.kind.kind, ref);
        await record(reconciler, target, acted, term, []);
        return { requeue: 'no' };
      }
      const found = await walk(reconciler, context);
      await writeStatus(reconciler, object, found, context);
      results.set(reconciler.kind.kind, ref, found);
      await record(reconciler, object, acted, term, [...found.values()]);
      return [...found.values()].some(({ type }) => type === 'unknown') ? { requeue: 'backoff' } : { requeue: 'no' };
    } catch (error) {
      if (signal.aborted) return { requeue: 'no' };
      const failure = asOperatorError(error, label);
      // The object moved on while it was looked at: the newer one is on its way.
      if (ClusterRefused.is(error) && error.data.reason === 'Conflict') return { requeue: 'after', ms: 500 };
      log.warn('a pass failed', { kind: reconciler.kind.kind, name, error });
      results.fail(reconciler.kind.kind, ref, failure.message);
      return failure.handling === 'stalled' ? { requeue: 'no' } : { requeue: 'backoff' };
    } finally {
      durations.observe((clock.monotonic() - started) / 1000, {
        resource: reconciler.kind.kind,
        operation: object === undefined ? 'delete' : 'update',
      });
    }
  }

  function contextFor(object: StoredObject, acted: string[], signal: AbortSignal): StepContext {
    const cluster = guardWrites(options.cluster, {
      async before() {
        // By the monotonic clock: a process that was stopped past its Lease must not act.
        if (leadership.term() === undefined) throw new Error('the lead was lost');
      },
      after: async () => undefined,
    });
    return { object, cluster, directory, clock, ownNamespace, signal, acted: (what) => void acted.push(what) };
  }

  async function walk({ steps }: Reconciler, context: StepContext): Promise<Map<string, StepResult>> {
    const found = new Map<string, StepResult>();
    for (const { condition, ensure } of steps) {
      const result = await ensure(context);
      found.set(condition, result);
      if (result.type === 'waiting' || result.type === 'stalled') break;
    }
    return found;
  }

  async function writeStatus(
    { kind, writesConditions }: Reconciler,
    object: StoredObject,
    found: ReadonlyMap<string, StepResult>,
    { cluster, signal }: StepContext,
  ): Promise<void> {
    if (!writesConditions) return;
    const { generation, resourceVersion } = object.metadata;
    const conditions = mergeConditions(conditionsOf(object.status), found, {
      now: new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
      ...(generation === undefined ? {} : { generation }),
    });
    if (conditions === undefined) return;
    // With the version it was judged by: a newer spec must not get the verdict on an older one.
    await cluster.merge(
      kind,
      object.metadata,
      { metadata: { resourceVersion }, status: { conditions } },
      { subresource: 'status', signal },
    );
  }

  /** A pass is work, not news: only what it did to the world is appended. */
  async function record(
    { kind }: Reconciler,
    object: StoredObject,
    acted: readonly string[],
    term: Term,
    found: readonly StepResult[],
  ): Promise<void> {
    if (acted.length === 0) return;
    const { uid, name, namespace, generation = 0 } = object.metadata;
    await events.append({
      stream: `reconcile/${kind.plural}/${namespace ?? '_'}/${name}`,
      expected: 'any',
      id: `reconcile/${uid}/${generation}/${clock.now()}`,
      term,
      events: [
        {
          type: 'ReconcileActed',
          schema: 1,
          time: new Date(clock.now()).toISOString(),
          actor: { source: 'operator', name: 'reconciler' },
          data: {
            kind: kind.kind,
            name,
            ...(namespace === undefined ? {} : { namespace }),
            uid,
            generation,
            acted: acted.slice(0, 100),
            findings: found.flatMap((one) => (one.type === 'nothing' ? [] : [one.reason])),
          },
        },
      ],
    });
  }

  async function lead(term: Term, signal: AbortSignal): Promise<void> {
    queue = newQueue();
    known.clear();
    log.info('reconciling', { term });
    results.active(true);
    const sweep = (async () => {
      while (!signal.aborted) {
        for (const { kind } of reconcilers) {
          const objects = directory.list(kind, kind.namespaced ? ownNamespace : undefined);
          tracked.set(objects.length, { resource: kind.kind });
          for (const { metadata } of objects) queue.add(key(kind.plural, metadata));
        }
        for (const one of reconcilers) {
          await one
            .leftovers?.(
              contextFor(
                { apiVersion: '', kind: '', metadata: { name: '', uid: '', resourceVersion: '', creationTimestamp: '' } },
                [],
                signal,
              ),
            )
            .catch((error: unknown) => {
              if (!signal.aborted) log.warn('leftovers could not be removed', { kind: one.kind.kind, error });
            });
        }
        await clock.sleep(options.driftInterval, signal).catch(() => undefined);
      }
    })();
    await queue.run(signal, (at) => pass(term, signal, at));
    await sweep;
    results.active(false);
  }

  function look(plural: string, ref: ObjectRef): void {
    if (leadership.term() !== undefined) queue.add(key(plural, ref));
  }

  return {
    name: 'reconciler',
    look,
    lookAtGrantOf({ metadata: { labels } }) {
      const uid = labels?.[grantLabel];
      const grant = uid === undefined ? undefined : directory.list(grants, ownNamespace).find(({ metadata }) => metadata.uid === uid);
      if (grant) look(grants.plural, grant.metadata);
    },
    status: () => results.status(),
    seen(event) {
      if (!event.type.startsWith('Object')) return;
      const data = objectVanished.safeParse(event.data).data;
      if (data === undefined) return;
      const ref: ObjectRef = data.namespace === undefined ? { name: data.name } : { name: data.name, namespace: data.namespace };
      const own = byPlural.get(data.plural);
      if (own && (!own.kind.namespaced || data.namespace === ownNamespace)) look(data.plural, ref);
      for (const one of reconcilers) {
        for (const trigger of one.triggers) {
          if (trigger.kind.plural !== data.plural) continue;
          for (const affected of trigger.affects(ref, directory, ownNamespace)) look(one.kind.plural, affected);
        }
      }
    },
    async start() {
      leadership.onLead((term, signal) => {
        const until = AbortSignal.any([signal, stopping.signal]);
        leading = (leading ?? Promise.resolve())
          .then(() => lead(term, until))
          .catch((error: unknown) => log.error('the reconciler stopped', { error }));
      });
    },
    async stop(): Promise<Leftovers> {
      stopping.abort();
      await leading;
      return { dropped: [] };
    },
  };
}
