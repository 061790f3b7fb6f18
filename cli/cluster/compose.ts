import { randomUUID } from 'node:crypto';
import { createHistory, createRetention } from '../../adapters/archive/index.ts';
import { createLeadership } from '../../adapters/kubernetes/index.ts';
import { createSealer } from '../../adapters/seal/index.ts';
import { objectText } from '../../adapters/text/index.ts';
import { createPatterns, createPipeline } from '../../commands/index.ts';
import { createObserver } from '../../commands/observe/index.ts';
import { createReconcileEngine, reconcileGrant, reconcileWorkspace } from '../../commands/reconcile/index.ts';
import { createAuditPolicy } from '../../domain/audit/index.ts';
import type { Configuration } from '../../domain/configuration/index.ts';
import { origin, type RecordedEvent } from '../../domain/event/index.ts';
import { namespaces, ourKinds, roleBindings, workspaces } from '../../domain/kinds.ts';
import type { Clock, Log, Metrics, Module, Session } from '../../domain/ports/index.ts';
import { schemas } from '../../domain/schemas/index.ts';
import { namespacesOf } from '../../domain/workspace/index.ts';
import {
  auditLog,
  commandStatus,
  createAuditLogQueries,
  createCommandQueries,
  createDirectory,
  createProjectionRunner,
  directoryView,
} from '../../projections/index.ts';
import type { ClusterRun } from '../cluster.ts';
import { build } from '../process/build.ts';
import { openArchive } from './archive.ts';
import { createAuditEvents } from './audit-events.ts';
import { clusterEvents } from './cluster-events.ts';
import type { HealthSources } from './health.ts';
import { importEvents } from './import-events.ts';
import { defineKinds, identify, openKubernetes } from './kubernetes.ts';
import { createLogTail } from './log-tail.ts';
import type { Modules } from './modules.ts';
import { openPlatform } from './platform.ts';
import { createPulse } from './pulse.ts';
import { ensureSealingKey } from './sealing-key.ts';
import { embeddedStorage, valkeyStorage } from './storage.ts';
import { type Listener, tee } from './tee.ts';

export interface Composition {
  readonly config: Configuration;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly how: ClusterRun;
  readonly modules: Modules;
  /** Told of each part as it comes, for readiness. */
  readonly sources: HealthSources;
}

/** ms between two looks at everything, for what changed without an event. */
const driftInterval = 15 * 60_000;
const usualLease = 10_000;
/** ms after which the reconcilers look at what the directory has, caught up or not. */
const viewPatience = 30_000;
const maxAttempts = 5;

/** Makes the parts and starts them in order. What comes back is what the HTTP API speaks with. */
export async function compose({ config, log, clock, metrics, how, modules, sources }: Composition) {
  const { signal } = how;
  const tools = { clock, log, signal };
  const ownNamespace = config.get('MO_OWN_NAMESPACE');
  const kubernetes = openKubernetes(config, tools);
  const { cluster, source } = kubernetes;
  await modules.start(closing('kubernetes', [source, cluster]), signal);
  const pulse = await modules.start(createPulse({ cluster, clock }), signal);
  sources.kubernetes = pulse.state;

  const identity = await identify(config, kubernetes, tools);
  config.set('MO_CLUSTER_MFA_ID', identity.mfaId);
  const clusterId = identity.mfaId;
  const archive = await openArchive(config, clusterId, clock);
  if (archive) await modules.start(closing('archive', [archive]), signal);
  const storage =
    how.embedded === undefined
      ? valkeyStorage(config, { clusterId, archive, clock, log })
      : embeddedStorage(how.embedded, { clusterId, clock, log });
  // Readers go on into the archive and get old events in their current versions; the log itself is what is archived.
  const history = createHistory({ store: storage.events, schemas, ...(archive ? { archive } : {}) });
  sources.storage = storage.state;
  const [sealingKey] = await Promise.all([
    ensureSealingKey(cluster, ownNamespace, signal),
    defineKinds(kubernetes, tools),
    modules.start(storage.connection, signal),
  ]);
  await storage.ready(signal);

  const leadership = createLeadership({
    cluster,
    namespace: ownNamespace,
    identity: randomUUID(),
    storedTerm: storage.storedTerm,
    // In the proportions of the defaults: it stops by itself well before others may lead.
    ...(how.leaderLease === undefined
      ? {}
      : { leaseDuration: how.leaderLease, renewDeadline: (how.leaderLease * 2) / 3, retryPeriod: how.leaderLease / 6 }),
    clock,
    log,
  });
  sources.leadership = leadership;

  const listeners: Listener[] = [];
  const heard = tee(history, await history.end(), listeners, (error) => log.error('a listener of the log failed', { error }));
  const directoryState = directoryView();
  const runner = createProjectionRunner({
    events: heard,
    views: storage.views,
    projections: [auditLog({ limit: config.get('MO_AUDIT_LOG_LIMIT'), ttl: config.get('MO_AUDIT_LOG_TTL') }), commandStatus],
    resident: [directoryState],
    clock,
    log,
    metrics,
  });
  sources.projections = runner;
  const directory = createDirectory(directoryState, runner);
  const auditQueries = createAuditLogQueries({ views: storage.views });
  await modules.start(runner, signal);

  const sealer = createSealer(sealingKey);
  const { version, branch, hash, buildAt } = build();
  const registry = createPatterns({
    version,
    branch,
    gitCommitHash: hash,
    buildTimestamp: buildAt,
    os: process.platform === 'win32' ? 'windows' : process.platform,
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
  });
  const pipeline = createPipeline({
    registry,
    commandLog: storage.commands,
    sealer,
    // Keyed: without the key a guess at a short secret can't be proved.
    audit: createAuditPolicy({ digest: sealer.digest, text: objectText, secrets: () => config.secrets() }),
    ports: { cluster, directory, auditLog: auditQueries, clock, log: log.component('commands'), ownNamespace },
    metrics,
    waitFor: (view, position, deadline) => runner.waitFor(view, position, deadline),
    owner: randomUUID(),
    concurrency: config.get('MO_COMMAND_CONCURRENCY'),
    lease: how.lease ?? usualLease,
    maxAttempts,
    ...(how.probe ? { probe: how.probe } : {}),
  });
  listeners.push(pipeline.seen);
  await modules.start(pipeline, signal);

  const projectsGrants = config.get('MO_GRANT_RBAC');
  const reconcilers = [reconcileWorkspace, ...(projectsGrants ? [reconcileGrant] : [])];
  const engine = createReconcileEngine({
    reconcilers,
    cluster,
    directory,
    events: storage.events,
    leadership,
    ownNamespace,
    clock,
    log: log.component('reconciler'),
    metrics,
    yields: pipeline.busy,
    driftInterval,
  });
  // What it looks at is in the directory, which another reader folds: it must not look before.
  listeners.push((event) => {
    if (event.type.startsWith('Object')) void directory.caughtUp(event.position, viewPatience).then(() => engine.seen(event));
  });
  await modules.start(engine, signal);
  const retention = createRetention({
    store: storage.events,
    keeper: storage.keeper,
    leadership,
    clock,
    log,
    metrics,
    maxAge: config.get('MO_EVENT_RETENTION'),
    maxBytes: config.get('MO_EVENT_RETENTION_BYTES'),
    ...(archive ? { archive } : {}),
  });
  await modules.start(retention, signal);
  const excluded = new Set(config.get('MO_EVENT_EXCLUDE_KINDS'));
  const watched = [...ourKinds, namespaces]
    .filter((kind) => !excluded.has(kind.group === '' ? kind.plural : `${kind.group}/${kind.plural}`))
    .map((kind) => (kind.namespaced ? { kind, namespace: ownNamespace } : { kind }));
  const observer = createObserver({ source, cluster, events: storage.events, directory, leadership, watched, clock, log });
  sources.observer = observer;
  await modules.start(observer, signal);
  const tail = createLogTail({
    storage,
    async onLost() {
      await runner.rebuild(directoryState.name, { signal });
      observer.relist();
    },
    clock,
    log: log.component('log'),
  });
  listeners.push(tail.seen);
  sources.log = tail.states;
  await modules.start(tail, signal);
  if (projectsGrants) followBindings();
  await modules.start(leadership, signal);

  const session: Session = { position: origin };
  const platform = openPlatform({ config, identity, dispatcher: pipeline, session, metrics, clock, log });
  if (platform) {
    listeners.push(clusterEvents(platform.push));
    sources.links = platform.links;
    await modules.start(platform, signal);
    await modules.start(
      createAuditEvents({
        events: storage.events,
        auditLog: auditQueries,
        projections: runner,
        push: platform.push,
        leadership,
        clock,
        log: log.component('audit-events'),
      }),
      signal,
    );
  }

  return {
    dispatcher: pipeline,
    auditLog: auditQueries,
    commandQueries: createCommandQueries({ views: storage.views, events: history }),
    commandLog: storage.commands,
    projections: runner,
    events: history,
    importEvents: (events: readonly RecordedEvent[]) => importEvents(storage.events, events),
    namespacesOf(name: string) {
      const workspace = directory.get(workspaces, { name, namespace: ownNamespace });
      return workspace === undefined ? undefined : namespacesOf(workspace);
    },
    status: engine.status,
    fresh: (views: readonly string[]) => pipeline.fresh(views),
    review: (token: string) => cluster.reviewToken(token),
  };

  /** Bindings that drift are seen at once. They are not recorded: what is in the log about them is what the projection did. */
  function followBindings(): void {
    leadership.onLead((_, until) => {
      source.follow(roleBindings, {
        signal: AbortSignal.any([until, signal]),
        handle: async (changes) => {
          for (const { type, object } of changes) if (type !== 'appeared') engine.lookAtGrantOf(object);
        },
      });
    });
  }
}

function closing(name: string, parts: readonly { close(): Promise<void> }[]): Module {
  return {
    name,
    start: async () => undefined,
    async stop() {
      await Promise.all(parts.map((part) => part.close()));
      return { dropped: [] };
    },
  };
}
