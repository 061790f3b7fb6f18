import { origin, type Position, type RecordedEvent, timeOf } from '../../domain/event/index.ts';
import type { EventStore } from '../../domain/ports/index.ts';

/** The greatest position below: the log is asked for what comes behind one. */
export function justBefore(at: Position): Position {
  const sequence = Number(at.slice(at.indexOf('-') + 1));
  if (sequence > 0) return `${timeOf(at)}-${sequence - 1}`;
  return timeOf(at) > 0 ? `${timeOf(at) - 1}-${Number.MAX_SAFE_INTEGER}` : origin;
}

/** The event that stands exactly there. */
export async function eventAt(events: Pick<EventStore, 'log'>, at: Position): Promise<RecordedEvent | undefined> {
  for await (const [event] of events.log(justBefore(at), { batch: 1 })) return event?.position === at ? event : undefined;
  return undefined;
}

export interface LogPage {
  readonly events: readonly RecordedEvent[];
  /** Where the next page begins: behind the last event that was looked at. */
  readonly next: Position;
  /** True when the log ends there for now. */
  readonly end: boolean;
}

/** A page of the events that fit. Looks at `scan` events at most, so that a filter which nothing fits costs the same as one that everything fits. */
export async function logPage(
  events: Pick<EventStore, 'log'>,
  how: {
    readonly after: Position;
    readonly limit: number;
    readonly scan: number;
    readonly fits: (event: RecordedEvent) => boolean;
    readonly signal: AbortSignal;
  },
): Promise<LogPage> {
  const found: RecordedEvent[] = [];
  let next = how.after;
  let seen = 0;
  for await (const batch of events.log(how.after, { batch: Math.min(how.limit, 250) })) {
    for (const event of batch) {
      next = event.position;
      seen += 1;
      if (how.fits(event)) found.push(event);
      if (found.length >= how.limit) return { events: found, next, end: false };
    }
    if (seen >= how.scan || how.signal.aborted) return { events: found, next, end: false };
  }
  return { events: found, next, end: true };
}

export interface Filter {
  readonly type?: string | undefined;
  readonly stream?: string | undefined;
  readonly command?: string | undefined;
}

export const fitsFilter =
  ({ type, stream, command }: Filter) =>
  (event: RecordedEvent): boolean =>
    (type === undefined || event.type === type) &&
    (stream === undefined || event.stream.startsWith(stream)) &&
    (command === undefined || event.commandid === command);
