import { createValkeyEventStore, createValkeyViewStore } from '../../../adapters/valkey/index.ts';
import { origin, type Position } from '../../../domain/event/index.ts';
import type { EventStore, ViewId, ViewStore } from '../../../domain/ports/index.ts';
import { auditLog, commandStatus, createProjectionRunner, type Projection, type ProjectionRunner } from '../../../projections/index.ts';
import { createCollector } from '../../../projections/projection.ts';
import { clusterOn, systemClock, type ValkeyServer } from '../valkey/index.ts';
import { noMetrics, silentLog } from './silent.ts';

export const bothViews: readonly Projection[] = [auditLog({ limit: 1_000, ttl: 14 * 86_400_000 }), commandStatus];

/** One replica: a connection of its own and a runner that is not started. */
export async function replicaOn(server: ValkeyServer, clusterId: string, projections: readonly Projection[] = bothViews) {
  const connection = await clusterOn(server, { clusterId });
  const events = createValkeyEventStore(connection);
  const views = createValkeyViewStore(connection);
  const runner = runnerOver({ events, views }, projections);
  return {
    connection,
    events,
    views,
    runner,
    async close() {
      await runner.stop({ deadline: 5_000 });
      await connection.stop({ deadline: 1_000 });
    },
  };
}

export function runnerOver(
  stores: { readonly events: EventStore; readonly views: ViewStore },
  projections: readonly Projection[] = bothViews,
  batch = 250,
): ProjectionRunner {
  return createProjectionRunner({ ...stores, projections, batch, resident: [], clock: systemClock, log: silentLog, metrics: noMetrics });
}

/** What one pass over the whole log gives, batch by batch, in a build of its own: what every other way must give too. */
export async function onePass(
  { events, views }: { readonly events: EventStore; readonly views: ViewStore },
  projection: Projection,
  batch = 1_000,
): Promise<ViewId> {
  const view = await views.begin(`${projection.name}~one-pass`, projection.version);
  const collector = createCollector();
  let from: Position = origin;
  for await (const some of events.log(origin, { batch })) {
    for (const event of some) projection.folds.get(event.type)?.(collector, event);
    const to = some.at(-1)?.position ?? from;
    await views.apply([{ view, from, to, writes: collector.take() }]);
    from = to;
  }
  return view;
}

export async function dumpOf(views: ViewStore, view: ViewId | undefined): Promise<readonly string[]> {
  const lines: string[] = [];
  if (view) for await (const line of views.dump(view)) lines.push(line);
  return lines;
}
