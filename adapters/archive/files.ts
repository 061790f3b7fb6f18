import { ArchiveUnavailable, OperatorError, PositionTrimmed, SegmentDamaged } from '../../domain/errors.ts';
import { comparePositions, origin, type Position, type RecordedEvent } from '../../domain/event/index.ts';
import { before, slices } from '../../domain/history/index.ts';
import { type Archive, chainStart, type Segment } from '../../domain/ports/index.ts';
import { createFolder, segmentName } from './folder.ts';
import { openSegment, type SegmentReader } from './segment-reader.ts';
import { writeSegment } from './segment-writer.ts';

export interface FileArchiveOptions {
  /** Folder for all clusters; each gets one of its own in it. Made when the first segment is written. */
  readonly path: string;
  readonly clusterId: string;
}

/** Most segments whose ends are remembered; the others are looked up again. */
const remembered = 1_000;
const batch = 250;

/** The archive as compressed files of JSON lines, one per segment (`zstd -dc FILE`), readable for their owner only. */
export function createFileArchive({ path, clusterId }: FileArchiveOptions): Archive {
  if (path === '' || path.includes('\0')) throw new TypeError('the archive needs a folder');
  if (clusterId === '') throw new TypeError('the archive needs the id of the cluster');
  const folder = createFolder(path, clusterId);
  const known = new Map<number, Segment>();
  const name = `in ${path}`;

  /** What the file system refuses is told apart from what is damaged; what the caller's events threw passes through. */
  const said = (error: unknown): unknown => {
    if (error instanceof OperatorError || !(error instanceof Error && 'syscall' in error)) return error;
    return ArchiveUnavailable({ archive: name, reason: error.message }, error);
  };
  const guarded = <T>(work: Promise<T>): Promise<T> => work.catch((error: unknown) => Promise.reject(said(error)));
  const reader = (number: number): Promise<SegmentReader> => guarded(openSegment(folder.path(number), segmentName(number), clusterId));
  const numbers = () => guarded(folder.numbers());

  async function* reading<T>(number: number, read: (segment: SegmentReader) => AsyncIterable<T>): AsyncGenerator<T> {
    const segment = await reader(number);
    try {
      yield* read(segment);
    } catch (error) {
      throw said(error);
    } finally {
      await segment.close();
    }
  }
  const segmentOf = async (number: number): Promise<Segment> => {
    const cached = known.get(number);
    if (cached) return cached;
    const opened = await reader(number);
    await opened.close();
    if (known.size >= remembered) known.clear();
    known.set(number, opened.segment);
    return opened.segment;
  };
  const last = async (): Promise<Segment | undefined> => {
    const number = (await numbers()).at(-1);
    return number === undefined ? undefined : segmentOf(number);
  };
  /** Numbers from the first segment on that ends after a position. */
  const endingAfter = async (position: Position): Promise<readonly number[]> => {
    const all = await numbers();
    let low = 0;
    let high = position === origin ? 0 : all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions((await segmentOf(all[middle] ?? 0)).last, position) > 0) high = middle;
      else low = middle + 1;
    }
    return all.slice(low);
  };

  async function* log(after: Position): AsyncGenerator<readonly RecordedEvent[]> {
    let from = after;
    for (const number of await endingAfter(after)) {
      const segment = await segmentOf(number);
      if (comparePositions(from, segment.after) < 0) throw PositionTrimmed({ position: from, first: segment.first });
      for await (const events of reading(number, (opened) => opened.events(from))) yield* slices(events, batch);
      from = segment.last;
    }
  }

  return {
    name,
    async write({ after, events }) {
      const tail = await last();
      if (tail && comparePositions(after, tail.last) < 0) return { outcome: 'conflict', last: tail.last };
      const number = (tail?.number ?? 0) + 1;
      let segment: Segment | undefined;
      const made = await guarded(
        folder.create(number, async (file) => {
          const beginning = { cluster: clusterId, number, after, previous: tail?.hash ?? chainStart };
          const { trailer, bytes } = await writeSegment(file, beginning, events);
          const { first, last, hash, previous } = trailer;
          segment = { number, after, first, last, events: trailer.events, bytes, hash, previous };
        }),
      );
      if (made && segment) return { outcome: 'written', segment };
      return { outcome: 'conflict', last: (await last())?.last ?? after };
    },
    async *segments() {
      for (const number of await numbers()) yield await segmentOf(number);
    },
    last,
    async verify(number) {
      known.delete(number);
      if (!(await numbers()).includes(number)) throw SegmentDamaged({ segment: segmentName(number), reason: 'it is not there' });
      const previous = number === 1 ? chainStart : (await segmentOf(number - 1)).hash;
      const opened = await reader(number);
      try {
        await guarded(opened.verify(previous));
        return opened.segment;
      } finally {
        await opened.close();
      }
    },
    log,
    async *read(stream, after = 0, from = origin) {
      for (const number of await endingAfter(from)) {
        for await (const event of reading(number, (opened) => opened.stream(stream))) if (event.version > after) yield event;
      }
    },
    async find(position) {
      const [number] = await endingAfter(before(position));
      if (number === undefined) return undefined;
      for await (const events of reading(number, (opened) => opened.events(before(position)))) {
        return events[0]?.position === position ? events[0] : undefined;
      }
      return undefined;
    },
    close: async () => known.clear(),
  };
}
