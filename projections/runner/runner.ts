import type { Clock, EventStore, Log, Metrics, Module, ProjectionAdmin, ViewStore } from '../../domain/ports/index.ts';
import type { Projection } from '../projection.ts';
import type { Resident } from '../resident.ts';
import { createAdmin } from './admin.ts';
import { createResidents } from './residents.ts';
import { createSkips, type Skip } from './skips.ts';
import { createStoredViews } from './stored.ts';
import { tidy } from './tidy.ts';

export interface ProjectionRunnerOptions {
  readonly events: EventStore;
  readonly views: ViewStore;
  readonly projections: readonly Projection[];
  readonly resident: readonly Resident[];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Events of one batch. Default 250: larger ones brought nothing and made others wait. */
  readonly batch?: number;
}

export interface ProjectionRunner extends Module, ProjectionAdmin {
  /** Events that did not fit a view, the newest 100. */
  skipped(): readonly Skip[];
}

/**
 * Feeds the stored views and the resident ones. `start` resolves when the resident views have seen what the log holds (or when the store can't be
 * reached: it is tried on then); stored views come after. Any number of replicas may run: checkpoints keep it right, and whoever loses stands by.
 */
export function createProjectionRunner(options: ProjectionRunnerOptions): ProjectionRunner {
  const { events, views, projections, resident, clock, metrics, batch = 250 } = options;
  const names = [...projections, ...resident].map(({ name }) => name);
  if (new Set(names).size < names.length) throw new TypeError(`two projections share a name: ${names.join(', ')}`);
  const log = options.log.component('projections');
  const skips = createSkips(log, metrics);
  const stored = createStoredViews({ events, views, projections, clock, log, skips, batch });
  const residents = createResidents({ events, views, resident, clock, log, skips });
  const admin = createAdmin({ events, views, stored, residents, skips });
  const life = new AbortController();
  let work: Promise<unknown> = Promise.resolve();

  return {
    ...admin,
    name: 'projections',
    skipped: skips.list,
    async start(signal) {
      work = Promise.all([
        stored.run(life.signal),
        residents.run(life.signal),
        tidy({ views, names: projections.map(({ name }) => name), clock, signal: life.signal }),
      ]);
      await residents.caughtUp(signal);
    },
    async stop({ deadline }) {
      const late = new AbortController();
      const tooLate = clock.sleep(deadline, late.signal).then(
        () => ['writes to the views that were under way'],
        () => [],
      );
      life.abort();
      const done = work.then(() => residents.saveAll()).then(() => []);
      const dropped = await Promise.race([done, tooLate]);
      late.abort();
      return { dropped };
    },
  };
}
