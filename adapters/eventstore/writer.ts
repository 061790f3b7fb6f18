import { createHash, randomUUID } from 'node:crypto';
import type { Position, RecordedEvent } from '../../domain/event/index.ts';
import { createOrder } from '../../domain/history/index.ts';
import type { Connection, NewRecord, StoredRecord } from './connection.ts';
import { extend, type Marker } from './marker.ts';
import { type Entry, fromRecord, plainBytes, toEntry, toRecord } from './records.ts';

/** One append: below what the server takes, and what a retry has to send again. */
const batchEvents = 250;
const placeEvery = 250;
const indexStreams = 1_000;

export interface Streams {
  readonly events: string;
  readonly index: string;
  readonly segments: string;
}

/**
 * Writes the events of a segment behind `from`, the last revision of the segment before it. What an earlier try left there is taken where it is
 * the same and passed over where it is not: streams can't be cut, and a second copy would be waste.
 */
export async function writeEvents(
  connection: Connection,
  streams: Streams,
  { from, ...beginning }: Pick<Marker, 'cluster' | 'number' | 'after' | 'previous'> & { readonly from: number },
  batches: AsyncIterable<readonly RecordedEvent[]>,
): Promise<Marker> {
  const hash = createHash('sha256').update(beginning.previous);
  const inOrder = createOrder(beginning.after);
  const runs: [number, number][] = [];
  const places: [number, Position][] = [];
  const index = new Map<string, number[]>();
  let end = from;
  let count = 0;
  let bytes = 0;
  let first: Position | undefined;
  let last: Position | undefined;
  let waiting: Entry[] = [];
  let size = 0;

  const flush = async () => {
    for (const revision of await put(connection, streams.events, waiting, end)) {
      extend(runs, revision);
      end = revision;
    }
    waiting = [];
    size = 0;
  };
  for await (const batch of batches) {
    for (const event of batch) {
      inOrder(event);
      const entry = toEntry(event);
      const length = Buffer.byteLength(entry.line) + 1;
      if (waiting.length >= batchEvents || (size > 0 && size + length > plainBytes)) await flush();
      hash.update(`${entry.line}\n`);
      waiting.push(entry);
      size += length;
      bytes += length;
      if (count % placeEvery === 0) places.push([count, event.position]);
      const own = index.get(event.stream);
      if (own) own.push(count);
      else index.set(event.stream, [count]);
      count += 1;
      first ??= event.position;
      last = event.position;
    }
  }
  if (waiting.length > 0) await flush();
  if (first === undefined || last === undefined) throw new TypeError('a segment has at least one event');

  const parts: number[] = [];
  const names = [...index];
  for (let at = 0; at < names.length; at += indexStreams) {
    const part = { number: beginning.number, streams: Object.fromEntries(names.slice(at, at + indexStreams)) };
    parts.push(await connection.add(streams.index, [{ id: randomUUID(), type: 'SegmentIndexed', json: part }]));
  }
  return { format: 1, ...beginning, first, last, events: count, bytes, hash: hash.digest('hex'), runs, places, index: parts };
}

/** Appends events behind `end` and returns their revisions. Finds out what stands there already only when the server says that something does. */
async function put(connection: Connection, stream: string, entries: readonly Entry[], end: number): Promise<readonly number[]> {
  const revisions: number[] = [];
  let rest = entries;
  let expected = end;
  while (rest.length > 0) {
    const records: NewRecord[] = await Promise.all(rest.map(toRecord));
    if (await connection.append(stream, records, expected)) {
      for (let n = 1; n <= rest.length; n += 1) revisions.push(expected + n);
      return revisions;
    }
    const standing = await connection.page(stream, expected + 1, rest.length);
    const same = await sameBeginning(standing, rest, stream);
    for (let n = 1; n <= same; n += 1) revisions.push(expected + n);
    rest = rest.slice(same);
    expected = same === standing.length ? expected + same : ((await connection.last(stream))?.revision ?? -1);
  }
  return revisions;
}

async function sameBeginning(standing: readonly StoredRecord[], entries: readonly Entry[], stream: string): Promise<number> {
  let same = 0;
  for (const record of standing) {
    // What can't be read is another one.
    const found = await fromRecord(record, stream).catch(() => undefined);
    if (found?.line !== entries[same]?.line) return same;
    same += 1;
  }
  return same;
}
