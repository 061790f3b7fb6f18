import { PositionTrimmed, StoreUnavailable } from '../../domain/errors.ts';
import { comparePositions, origin, type Position, type RecordedEvent } from '../../domain/event/index.ts';
import type { ReadLog } from '../../domain/ports/index.ts';
import type { ArchiveReader } from './archive.ts';
import type { ValkeyConnection } from './connection.ts';
import { decode } from './entry.ts';
import { asList, asPosition, asText } from './reply.ts';
import type { Wire } from './wire.ts';

/** Milliseconds of silence beyond a blocking read's own after which its socket counts as dead. */
const margin = 2_000;

interface Slice {
  readonly events: readonly RecordedEvent[];
  /** The last trimmed position when the events were read. */
  readonly trimmed: Position;
}

/** The whole log after a position; what was trimmed comes from the archive. Reads one batch ahead of its consumer. */
export async function* readLog(
  connection: ValkeyConnection,
  source: string,
  after: Position,
  { follow, batch = 250, gather }: ReadLog,
  archive: ArchiveReader | undefined,
): AsyncGenerator<readonly RecordedEvent[]> {
  const key = `${connection.tag}:log`;
  let from = after;
  let blocking: Wire | undefined;
  const stopped = () => follow?.aborted === true;

  const fetch = async (position: Position): Promise<Slice> => {
    const [entries, trimmed] = await Promise.all([
      connection.fetch('XRANGE', [key, `(${position}`, '+', 'COUNT', batch]),
      connection.fetch('GET', [`${connection.tag}:trimmed`]),
    ]);
    return { events: decodeAll(source, entries), trimmed: trimmed === null ? origin : asPosition(trimmed) };
  };
  const wait = async (position: Position, signal: AbortSignal): Promise<Slice> => {
    blocking ??= connection.reader('follow');
    const wire = blocking;
    await wire.whenUp(signal);
    await gather?.(signal);
    if (signal.aborted) return { events: [], trimmed: origin };
    const [streams, trimmed] = await Promise.all([
      wire.send('XREAD', ['COUNT', batch, 'BLOCK', connection.block, 'STREAMS', key, position], connection.block + margin),
      wire.send('GET', [`${connection.tag}:trimmed`], connection.block + margin),
    ]);
    const [stream] = streams === null ? [] : asList(streams);
    const entries = stream === undefined ? [] : asList(stream)[1];
    return { events: decodeAll(source, entries), trimmed: trimmed === null ? origin : asPosition(trimmed) };
  };
  /** A follower outlives Valkey's absences: it goes on where it was as soon as somebody answers. */
  const patiently = async (read: () => Promise<Slice>): Promise<Slice | undefined> => {
    while (!stopped()) {
      try {
        return await read();
      } catch (error) {
        if (stopped()) break;
        if (!follow || !StoreUnavailable.is(error)) throw error;
        await connection.clock.sleep(50 + 150 * connection.clock.random(), follow).catch(() => undefined);
        if (!stopped()) await connection.whenReady(follow).catch((reason: unknown) => (stopped() ? undefined : Promise.reject(reason)));
      }
    }
    return undefined;
  };
  const close = () => blocking?.close();
  follow?.addEventListener('abort', close);

  try {
    let next: Promise<Slice | undefined> | undefined;
    while (!stopped()) {
      const slice = await (next ?? patiently(() => fetch(from)));
      next = undefined;
      if (!slice) return;
      if (comparePositions(from, slice.trimmed) < 0) {
        if (!archive) throw await trimmedAway(connection, from, slice.trimmed);
        for await (const events of archive.log(from)) {
          const missing = events.filter(({ position }) => comparePositions(position, slice.trimmed) <= 0);
          if (missing.length > 0) yield missing;
          if (missing.length < events.length || stopped()) break;
        }
        from = slice.trimmed;
        continue;
      }
      const last = slice.events.at(-1);
      if (last) {
        from = last.position;
        const ahead = last.position;
        if (slice.events.length >= batch) {
          next = patiently(() => fetch(ahead));
          // Whoever stops reading here never looks at it.
          next.catch(() => undefined);
        } else if (follow) next = patiently(() => wait(ahead, follow));
        next?.catch(() => undefined);
        yield slice.events;
        if (!next) return;
      } else if (follow) next = patiently(() => wait(from, follow));
      else return;
    }
  } finally {
    follow?.removeEventListener('abort', close);
    close();
  }
}

async function trimmedAway(connection: ValkeyConnection, position: Position, trimmed: Position) {
  const [first] = asList(await connection.fetch('XRANGE', [`${connection.tag}:log`, '-', '+', 'COUNT', 1]));
  return PositionTrimmed({ position, first: first === undefined ? trimmed : asPosition(asList(first)[0]) });
}

export function decodeEntry(source: string, entry: unknown): RecordedEvent {
  const [position, values] = asList(entry);
  return decode(source, asPosition(position), asText(asList(values)[1]));
}

const decodeAll = (source: string, entries: unknown): readonly RecordedEvent[] =>
  asList(entries).map((entry) => decodeEntry(source, entry));
