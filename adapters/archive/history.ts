import { PositionTrimmed } from '../../domain/errors.ts';
import { comparePositions, origin, type Position, parsePosition, type RecordedEvent, type StreamName } from '../../domain/event/index.ts';
import { slices } from '../../domain/history/index.ts';
import type { Archive, EventStore } from '../../domain/ports/index.ts';
import type { Schemas } from '../../domain/schemas/index.ts';

export interface HistoryOptions {
  readonly store: EventStore;
  /** Without it, reading what was trimmed throws `PositionTrimmed`. */
  readonly archive?: Archive;
  /** Brings old events to the current version of their type. Without it they are read as they were written. */
  readonly schemas?: Schemas;
}

/**
 * The event store with all of its past: what was trimmed is read from the archive, then the log goes on, without a gap or a repeat, also
 * while somebody trims. It relies on one order of things: an event is in the archive before it leaves the log, and only the log's oldest leave.
 */
export function createHistory({ store, archive, schemas }: HistoryOptions): EventStore {
  const upcast = schemas ? schemas.upcast : (event: RecordedEvent) => event;
  return {
    append: (append) => store.append(append),
    appendAll: (appends) => store.appendAll(appends),
    observe: (observations, term) => store.observe(observations, term),
    end: () => store.end(),
    extent: () => store.extent(),
    async *log(after, how = {}) {
      for await (const events of archive ? wholeLog(store, archive, after, how) : store.log(after, how)) yield events.map(upcast);
    },
    async *read(stream, after = 0) {
      for await (const event of archive ? wholeStream(store, archive, stream, after) : store.read(stream, after)) yield upcast(event);
    },
  };
}

async function* wholeLog(
  store: EventStore,
  archive: Archive,
  after: Position,
  how: { readonly follow?: AbortSignal; readonly batch?: number },
): AsyncGenerator<readonly RecordedEvent[]> {
  let from = after;
  for (;;) {
    try {
      for await (const events of store.log(from, how)) {
        from = events.at(-1)?.position ?? from;
        yield events;
      }
      return;
    } catch (error) {
      if (!PositionTrimmed.is(error)) throw error;
      const trimmedTo = error.data.first;
      const start = from;
      for await (const found of archive.log(from)) {
        if (how.follow?.aborted) return;
        // An archive may hold what a failover took from the log: that is no part of the log's history any more.
        const events = found.filter(({ position }) => !isAfter(position, trimmedTo));
        for (const slice of slices(events, how.batch ?? 250)) {
          from = slice.at(-1)?.position ?? from;
          yield slice;
        }
        if (events.length < found.length) break;
      }
      // Nothing new in the archive, and the log does not go back as far: this part of history is gone.
      if (from === start) throw error;
    }
  }
}

async function* wholeStream(store: EventStore, archive: Archive, stream: StreamName, after: number): AsyncGenerator<RecordedEvent> {
  let from = after;
  let place = origin;
  let searched = origin;
  for (;;) {
    let next: RecordedEvent | undefined;
    for await (const event of store.read(stream, from)) {
      if (event.version > from + 1) {
        next = event;
        break;
      }
      from = event.version;
      place = event.position;
      yield event;
    }
    const archivedTo = (await archive.last())?.last ?? origin;
    if (next === undefined) {
      // Only the log's oldest leave it: while the last event that was read stands there, so does everything behind it.
      const { first } = await store.extent();
      if (place !== origin && first !== origin && !isAfter(first, place)) return;
      if (!isAfter(archivedTo, searched)) return;
    } else if (!isAfter(archivedTo, searched)) {
      throw PositionTrimmed({ position: place, first: next.position });
    }
    for await (const event of archive.read(stream, from, searched)) {
      if (event.version > from + 1) throw PositionTrimmed({ position: place, first: event.position });
      from = event.version;
      place = event.position;
      yield event;
    }
    searched = archivedTo;
  }
}

const isAfter = (a: string, b: string): boolean => comparePositions(asPosition(a), asPosition(b)) > 0;
const asPosition = (text: string): Position => parsePosition(text) ?? origin;
