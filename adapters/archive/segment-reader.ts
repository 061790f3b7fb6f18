import { type FileHandle, open } from 'node:fs/promises';
import type { z } from 'zod';
import { SegmentDamaged } from '../../domain/errors.ts';
import { comparePositions, type Position, type RecordedEvent, type StreamName } from '../../domain/event/index.ts';
import { cloudEvent } from '../../domain/history/index.ts';
import type { Segment } from '../../domain/ports/index.ts';
import { createChain } from './chain.ts';
import { type Block, blocks, header, streamPlaces, type Trailer, trailer } from './format.ts';
import { footerBytes, linesOf, readFooter } from './frames.ts';

/** One segment's file, opened for reading. Whatever in it is not as it was written is `SegmentDamaged` with the file's name. */
export interface SegmentReader {
  readonly trailer: Trailer;
  readonly segment: Segment;
  /** Events after a position, a frame at a time. */
  events(after: Position): AsyncIterable<readonly RecordedEvent[]>;
  stream(stream: StreamName): AsyncIterable<RecordedEvent>;
  /** Reads all of it, checks every number in it and computes the hash from `previous`. */
  verify(previous: string): Promise<void>;
  close(): Promise<void>;
}

export async function openSegment(path: string, name: string, cluster: string): Promise<SegmentReader> {
  const file = await open(path, 'r');
  try {
    return await read(file, name, cluster);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function read(file: FileHandle, name: string, cluster: string): Promise<SegmentReader> {
  const damaged = (reason: string, cause?: unknown) => SegmentDamaged({ segment: name, reason }, cause);
  const { size } = await file.stat();

  const bytes = async (offset: number, length: number): Promise<Buffer> => {
    if (offset < 0 || length < 1 || offset + length > size) throw damaged('it is cut off');
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    if (bytesRead !== length) throw damaged('it is cut off');
    return buffer;
  };
  const lines = async (offset: number, length: number): Promise<readonly string[]> => {
    const frame = await bytes(offset, length);
    try {
      return await linesOf(frame);
    } catch (error) {
      throw damaged(`the bytes from ${offset} on can't be decompressed`, error);
    }
  };
  const parse = <T>(schema: z.ZodType<T>, line: string | undefined): T => {
    try {
      return schema.parse(JSON.parse(line ?? ''));
    } catch (error) {
      throw damaged('a line in it is not what belongs there', error);
    }
  };

  const trailerAt = size < footerBytes ? undefined : readFooter(await bytes(size - footerBytes, footerBytes));
  if (trailerAt === undefined) throw damaged('its end is missing');
  const end = parse(trailer, (await lines(trailerAt, size - footerBytes - trailerAt))[0]);
  if (end.cluster !== cluster) throw damaged(`it belongs to the cluster ${end.cluster}`);
  const { number, after, first, last, events, hash, previous } = end;
  const segment: Segment = { number, after, first, last, events, bytes: size, hash, previous };

  const index = async () => {
    const [top, ...streams] = await lines(...end.index);
    return { blocks: parse(blocks, top).blocks, streams };
  };
  const block = async ([offset, length, begin, count]: Block): Promise<{ text: readonly string[]; events: readonly RecordedEvent[] }> => {
    const text = await lines(offset, length);
    const read = text.map((line) => parse(cloudEvent, line));
    if (read.length !== count || read[0]?.position !== begin) throw damaged('its index does not fit its events');
    return { text, events: read };
  };

  return {
    trailer: end,
    segment,
    async *events(from) {
      const places = (await index()).blocks;
      // The last frame that begins at or before the place asked for is the first that can hold something after it.
      const start = Math.max(
        0,
        places.findLastIndex(([, , begin]) => comparePositions(begin, from) <= 0),
      );
      for (const place of places.slice(start)) {
        const found = (await block(place)).events.filter(({ position }) => comparePositions(position, from) > 0);
        if (found.length > 0) yield found;
      }
    },
    async *stream(stream) {
      const { blocks: places, streams } = await index();
      // A cheap look at the text first: to parse every line of every index would make one stream as dear as all.
      const wanted = `{"kind":"stream","stream":${JSON.stringify(stream)},`;
      const line = streams.find((one) => one.startsWith(wanted));
      if (line === undefined) return;
      for (const at of parse(streamPlaces, line).blocks) {
        const place = places[at];
        if (!place) throw damaged('its index leads nowhere');
        for (const event of (await block(place)).events) if (event.stream === stream) yield event;
      }
    },
    async verify(before) {
      const chain = createChain(before);
      const { blocks: places } = await index();
      const firstBlock = places[0]?.[0] ?? 0;
      const start = parse(header, firstBlock === 0 ? undefined : (await lines(0, firstBlock))[0]);
      let count = 0;
      let position: Position = after;
      let begin: Position | undefined;
      for (const place of places) {
        const { text, events: read } = await block(place);
        for (const line of text) chain.add(line);
        for (const event of read) {
          if (comparePositions(event.position, position) <= 0) throw damaged(`its events are out of order at ${event.position}`);
          begin ??= event.position;
          position = event.position;
          count += 1;
        }
      }
      if (start.number !== number || start.after !== after || start.previous !== previous) throw damaged('its two ends differ');
      if (count !== events || begin !== first || position !== last) throw damaged('it does not hold the events that it names');
      if (previous !== before) throw damaged('it does not continue the segment before it');
      if (chain.end() !== hash) throw damaged('the hash of its events is another');
    },
    close: () => file.close(),
  };
}
