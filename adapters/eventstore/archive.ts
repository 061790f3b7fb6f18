import { createHash } from 'node:crypto';
import { PositionTrimmed, SegmentDamaged } from '../../domain/errors.ts';
import { comparePositions, origin, type Position, type RecordedEvent, type StreamName } from '../../domain/event/index.ts';
import { before, slices } from '../../domain/history/index.ts';
import { type Archive, chainStart, type Segment } from '../../domain/ports/index.ts';
import { type ConnectionOptions, createConnection, type StoredRecord } from './connection.ts';
import { indexPart, type Marker, marker, revisionsFrom, toSegment } from './marker.ts';
import { type Entry, fromRecord, uuidOf } from './records.ts';
import { type Streams, writeEvents } from './writer.ts';

export interface EventStoreArchiveOptions extends ConnectionOptions {
  readonly clusterId: string;
}

const batch = 250;
const remembered = 1_000;
/** Events that are read for nothing rather than asked for in a call of their own. */
const nearby = 16;

/**
 * The archive in an EventStoreDB, in three streams: `mogenius-<cluster>-log` holds the events as CloudEvents, `…-index` where each aggregate's are,
 * `…-segments` what is whole. Connects at the first call.
 */
export function createEventStoreArchive({ clusterId, ...options }: EventStoreArchiveOptions): Archive {
  if (!/^[\p{L}\p{N}._-]{1,200}$/u.test(clusterId)) throw new TypeError('the id of the cluster is no part of a stream name');
  const connection = createConnection(options);
  const stream = (part: string) => `mogenius-${clusterId}-${part}`;
  const streams: Streams = { events: stream('log'), index: stream('index'), segments: stream('segments') };
  const known = new Map<number, Marker>();
  const damaged = (number: number, reason: string, cause?: unknown) =>
    SegmentDamaged({ segment: `${number} in ${streams.segments}`, reason }, cause);

  const toMarker = (record: StoredRecord): Marker => {
    const number = record.revision + 1;
    const found = marker.safeParse('json' in record.content ? record.content.json : undefined);
    if (!found.success) throw damaged(number, 'what it says of itself is not what was written', found.error);
    if (found.data.number !== number || found.data.cluster !== clusterId) throw damaged(number, 'it is the marker of another segment');
    if (known.size >= remembered) known.clear();
    known.set(number, found.data);
    return found.data;
  };
  const lastMarker = async (): Promise<Marker | undefined> => {
    const record = await connection.last(streams.segments);
    return record && toMarker(record);
  };
  const markerOf = async (number: number): Promise<Marker> => {
    const cached = known.get(number);
    if (cached) return cached;
    const [record] = await connection.page(streams.segments, number - 1, 1);
    if (record?.revision !== number - 1) throw damaged(number, 'it is not there');
    return toMarker(record);
  };
  /** Markers from the first segment on that ends after a position. */
  async function* endingAfter(position: Position): AsyncGenerator<Marker> {
    const end = await lastMarker();
    let low = 1;
    let high = position === origin ? 1 : (end?.number ?? 0) + 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions((await markerOf(middle)).last, position) > 0) high = middle;
      else low = middle + 1;
    }
    for (let number = low; number <= (end?.number ?? 0); number += 1) yield await markerOf(number);
  }
  /** A segment's events from the `from`-th on. */
  async function* entriesOf(segment: Marker, from: number, count = segment.events): AsyncGenerator<readonly Entry[]> {
    let left = count;
    for (const [first, last] of revisionsFrom(segment, from)) {
      for (let at = first; at <= last && left > 0; ) {
        const wanted = Math.min(batch, last - at + 1, left);
        const page = await connection.page(streams.events, at, wanted);
        if (page.length !== wanted || page[0]?.revision !== at) throw damaged(segment.number, `events are missing in ${streams.events}`);
        yield await Promise.all(page.map((record) => fromRecord(record, streams.events)));
        at += wanted;
        left -= wanted;
      }
    }
  }
  async function* eventsOf(segment: Marker, after: Position): AsyncGenerator<readonly RecordedEvent[]> {
    const place = segment.places.findLast(([, position]) => comparePositions(position, after) <= 0);
    for await (const entries of entriesOf(segment, place?.[0] ?? 0)) {
      const events = entries.map(({ event }) => event).filter(({ position }) => comparePositions(position, after) > 0);
      yield* slices(events, batch);
    }
  }
  /** Which events of a segment are a stream's. */
  const ordinalsOf = async (segment: Marker, name: StreamName): Promise<readonly number[]> => {
    for (const revision of segment.index) {
      const [record] = await connection.page(streams.index, revision, 1);
      const part = indexPart.safeParse(record && 'json' in record.content ? record.content.json : undefined);
      if (!part.success || part.data.number !== segment.number) throw damaged(segment.number, 'its index is missing', part.error);
      const found = Object.hasOwn(part.data.streams, name) ? part.data.streams[name] : undefined;
      if (found) return found;
    }
    return [];
  };

  return {
    name: connection.name,
    async write({ after, events }) {
      const tail = await lastMarker();
      if (tail && comparePositions(after, tail.last) < 0) return { outcome: 'conflict', last: tail.last };
      const number = (tail?.number ?? 0) + 1;
      const previous = tail?.hash ?? chainStart;
      const from = tail?.runs.at(-1)?.[1] ?? -1;
      const made = await writeEvents(connection, streams, { cluster: clusterId, number, after, previous, from }, events);
      const id = uuidOf(`${streams.segments}\n${JSON.stringify(made)}`);
      const marked = await connection.append(streams.segments, [{ id, type: 'SegmentArchived', json: made }], number - 2);
      if (marked) return { outcome: 'written', segment: toSegment(made) };
      return { outcome: 'conflict', last: (await lastMarker())?.last ?? after };
    },
    async *segments() {
      for await (const found of endingAfter(origin)) yield toSegment(found);
    },
    async last() {
      const found = await lastMarker();
      return found && toSegment(found);
    },
    async verify(number): Promise<Segment> {
      known.delete(number);
      const found = await markerOf(number);
      const previous = number === 1 ? chainStart : (await markerOf(number - 1)).hash;
      const hash = createHash('sha256').update(previous);
      let count = 0;
      let position = found.after;
      let first: Position | undefined;
      for await (const entries of entriesOf(found, 0)) {
        for (const { event, line } of entries) {
          if (comparePositions(event.position, position) <= 0) throw damaged(number, `its events are out of order at ${event.position}`);
          hash.update(`${line}\n`);
          first ??= event.position;
          position = event.position;
          count += 1;
        }
      }
      if (count !== found.events || first !== found.first || position !== found.last)
        throw damaged(number, 'it does not hold the events that it names');
      if (found.previous !== previous) throw damaged(number, 'it does not continue the segment before it');
      if (hash.digest('hex') !== found.hash) throw damaged(number, 'the hash of its events is another');
      return toSegment(found);
    },
    async *log(after) {
      let from = after;
      for await (const segment of endingAfter(after)) {
        if (comparePositions(from, segment.after) < 0) throw PositionTrimmed({ position: from, first: segment.first });
        yield* eventsOf(segment, from);
        from = segment.last;
      }
    },
    async *read(name, after = 0, from = origin) {
      for await (const segment of endingAfter(from)) {
        for (const ordinals of groups(await ordinalsOf(segment, name))) {
          const first = ordinals[0] ?? 0;
          const entries: Entry[] = [];
          for await (const page of entriesOf(segment, first, (ordinals.at(-1) ?? first) - first + 1)) entries.push(...page);
          for (const ordinal of ordinals) {
            const event = entries[ordinal - first]?.event;
            if (event?.stream !== name) throw damaged(segment.number, 'its index does not fit its events');
            if (event.version > after) yield event;
          }
        }
      }
    },
    async find(position) {
      for await (const segment of endingAfter(before(position))) {
        for await (const [event] of eventsOf(segment, before(position))) return event?.position === position ? event : undefined;
      }
      return undefined;
    },
    close: () => connection.close(),
  };
}

/** Numbers that are near each other, to be read in one call with what lies between them. */
function* groups(ordinals: readonly number[]): Generator<readonly number[]> {
  let group: number[] = [];
  for (const ordinal of ordinals) {
    const near = ordinal - (group.at(-1) ?? ordinal) <= nearby && ordinal - (group[0] ?? ordinal) < batch;
    if (!near) {
      yield group;
      group = [];
    }
    group.push(ordinal);
  }
  if (group.length > 0) yield group;
}
