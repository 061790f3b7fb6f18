import { comparePositions, origin, type Position, type RecordedEvent } from '../event/index.ts';

/** The last position before this one. Reading after it begins with the event that stands here. */
export function before(position: Position): Position {
  const [time = 0, sequence = 0] = position.split('-').map(Number);
  if (sequence > 0) return `${time}-${sequence - 1}`;
  return time > 0 ? `${time - 1}-${Number.MAX_SAFE_INTEGER}` : origin;
}

/** Makes sure that a segment's events are the log's, in its order: a writer that mixes them up is stopped before anything is kept. */
export function createOrder(after: Position): (event: RecordedEvent) => void {
  let last = after;
  return ({ position, id }) => {
    if (comparePositions(position, last) <= 0) throw new TypeError(`the event ${id} at ${position} does not come after ${last}`);
    last = position;
  };
}

/** The same events in batches of at most `size`. */
export function* slices(events: readonly RecordedEvent[], size: number): Generator<readonly RecordedEvent[]> {
  if (events.length <= size) {
    if (events.length > 0) yield events;
  } else for (let at = 0; at < events.length; at += size) yield events.slice(at, at + size);
}
