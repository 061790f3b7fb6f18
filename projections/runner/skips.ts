import type { RecordedEvent } from '../../domain/event/index.ts';
import type { Log, Metrics } from '../../domain/ports/index.ts';

/** An event that did not fit a view. */
export interface Skip {
  readonly view: string;
  readonly position: string;
  readonly type: string;
  readonly reason: string;
}

export interface Skips {
  add(view: string, event: RecordedEvent, error: unknown): void;
  count(view: string): number;
  /** The newest, at most 100 in all. */
  list(): readonly Skip[];
}

const listed = 100;

export function createSkips(log: Log, metrics: Metrics): Skips {
  const counts = new Map<string, number>();
  const newest: Skip[] = [];
  const counter = metrics.counter('mogenius_operator_projection_skipped_events_total', 'Events that did not fit a view', ['view']);
  return {
    add(view, { position, type }, error) {
      const reason = error instanceof Error ? error.message : String(error);
      counts.set(view, (counts.get(view) ?? 0) + 1);
      counter.add(1, { view });
      newest.push({ view, position, type, reason });
      if (newest.length > listed) newest.shift();
      log.warn('an event did not fit a view and was passed over', { view, position, type, reason });
    },
    count: (view) => counts.get(view) ?? 0,
    list: () => [...newest],
  };
}
