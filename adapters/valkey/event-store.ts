import { StreamNotIndexed } from '../../domain/errors.ts';
import { comparePositions, origin, type Position, type Term } from '../../domain/event/index.ts';
import { type Append, type Appended, type EventStore, isIndexed } from '../../domain/ports/index.ts';
import type { ArchiveReader } from './archive.ts';
import type { ValkeyConnection } from './connection.ts';
import { appendArguments, observationArguments, toAppended, toObserved } from './event-arguments.ts';
import { decodeEntry, readLog } from './log-reader.ts';
import { asList, asNumber, asPosition } from './reply.ts';
import { readStream } from './stream-reader.ts';

export interface EventStoreOptions {
  /** Where events are that were trimmed. Without it, reading them throws PositionTrimmed. */
  readonly archive?: ArchiveReader;
}

export interface ValkeyEventStore extends EventStore {
  /**
   * For readers that keep their place elsewhere: is the event they read last still what the log holds there?
   * `absent` means that a failover lost the end of the log: comparing positions would not notice, new ones are soon past the lost ones.
   */
  has(position: Position, eventId: string): Promise<'present' | 'trimmed' | 'absent'>;
  /** The highest term that wrote; 0 when none did. */
  term(): Promise<Term>;
}

/** Observations of one call, below what makes other callers wait noticeably. */
const observationsAtOnce = 100;

export function createValkeyEventStore(connection: ValkeyConnection, { archive }: EventStoreOptions = {}): ValkeyEventStore {
  const source = `/clusters/${connection.clusterId}`;
  const log = `${connection.tag}:log`;
  const append = async (one: Append): Promise<Appended> => toAppended(await connection.callDurably('append', appendArguments(one)));

  return {
    append,
    appendAll: (appends) => Promise.all(appends.map(append)),
    async observe(observations, term) {
      const slices = [];
      for (let i = 0; i < observations.length; i += observationsAtOnce) slices.push(observations.slice(i, i + observationsAtOnce));
      const answers = await Promise.all(
        slices.map(async (slice) => {
          const args = [term ?? '', ...slice.flatMap(observationArguments)];
          return toObserved(await connection.callDurably('observe', args), slice.length);
        }),
      );
      return answers.flat();
    },
    read(stream, after = 0) {
      if (!isIndexed(stream)) throw StreamNotIndexed({ stream });
      return readStream(connection, source, stream, after, archive);
    },
    log: (after, how = {}) => readLog(connection, source, after, how, archive),
    async end() {
      const [last] = asList(await connection.fetch('XREVRANGE', [log, '+', '-', 'COUNT', 1]));
      return last === undefined ? lastTrimmed(connection) : asPosition(asList(last)[0]);
    },
    async extent() {
      const [first, last, events] = await Promise.all([
        connection.fetch('XRANGE', [log, '-', '+', 'COUNT', 1]),
        connection.fetch('XREVRANGE', [log, '+', '-', 'COUNT', 1]),
        connection.fetch('XLEN', [log]),
      ]);
      const [one] = asList(first);
      const [other] = asList(last);
      return {
        first: one === undefined ? origin : asPosition(asList(one)[0]),
        last: other === undefined ? origin : asPosition(asList(other)[0]),
        events: asNumber(events),
      };
    },
    async term() {
      const term = await connection.fetch('GET', [`${connection.tag}:term`]);
      return term === null ? 0 : asNumber(term);
    },
    async has(position, eventId) {
      const [found] = asList(await connection.fetch('XRANGE', [log, position, position]));
      if (found !== undefined) return decodeEntry(source, found).id === eventId ? 'present' : 'absent';
      return comparePositions(position, await lastTrimmed(connection)) <= 0 ? 'trimmed' : 'absent';
    },
  };
}

async function lastTrimmed(connection: ValkeyConnection): Promise<Position> {
  const position = await connection.fetch('GET', [`${connection.tag}:trimmed`]);
  return position === null ? origin : asPosition(position);
}
