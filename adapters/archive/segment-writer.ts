import type { FileHandle } from 'node:fs/promises';
import type { Position, RecordedEvent } from '../../domain/event/index.ts';
import { createOrder, eventLine } from '../../domain/history/index.ts';
import { createChain } from './chain.ts';
import type { Block, Trailer } from './format.ts';
import { toFooter, toFrame } from './frames.ts';

/** A frame ends at whichever comes first. One frame is what a reader of one stream decompresses for one event. */
const blockEvents = 250;
const blockBytes = 256 * 1024;

export interface Beginning {
  readonly cluster: string;
  readonly number: number;
  readonly after: Position;
  readonly previous: string;
}

/** Writes a whole segment into an empty file and makes it durable. Holds one frame and the index in memory, never the events. */
export async function writeSegment(
  file: FileHandle,
  beginning: Beginning,
  events: AsyncIterable<readonly RecordedEvent[]>,
): Promise<{ readonly trailer: Trailer; readonly bytes: number }> {
  let offset = 0;
  const put = async (bytes: Buffer): Promise<[number, number]> => {
    const place: [number, number] = [offset, bytes.length];
    await file.appendFile(bytes);
    offset += bytes.length;
    return place;
  };
  const chain = createChain(beginning.previous);
  const inOrder = createOrder(beginning.after);
  const blocks: Block[] = [];
  const streams = new Map<string, number[]>();
  let lines: string[] = [];
  let size = 0;
  let begin: Position | undefined;
  let first: Position | undefined;
  let last: Position | undefined;
  let count = 0;

  const flush = async () => {
    if (begin === undefined) return;
    const place = await put(await toFrame(lines));
    blocks.push([...place, begin, lines.length]);
    lines = [];
    size = 0;
    begin = undefined;
  };

  await put(await toFrame([JSON.stringify({ kind: 'header', format: 1, ...beginning })]));
  for await (const batch of events) {
    for (const event of batch) {
      inOrder(event);
      const line = eventLine(event);
      chain.add(line);
      lines.push(line);
      size += line.length;
      count += 1;
      begin ??= event.position;
      first ??= event.position;
      last = event.position;
      const places = streams.get(event.stream);
      if (!places) streams.set(event.stream, [blocks.length]);
      else if (places.at(-1) !== blocks.length) places.push(blocks.length);
      if (lines.length >= blockEvents || size >= blockBytes) await flush();
    }
  }
  await flush();
  if (first === undefined || last === undefined) throw new TypeError('a segment has at least one event');

  const index = [JSON.stringify({ kind: 'blocks', blocks })];
  for (const [stream, places] of streams) index.push(JSON.stringify({ kind: 'stream', stream, blocks: places }));
  const trailer: Trailer = {
    kind: 'trailer',
    format: 1,
    ...beginning,
    first,
    last,
    events: count,
    hash: chain.end(),
    index: await put(await toFrame(index)),
  };
  const [trailerAt] = await put(await toFrame([JSON.stringify(trailer)]));
  await put(toFooter(trailerAt));
  // The file gets its name next; a name that survives a power cut must not lead to bytes that did not.
  await file.sync();
  return { trailer, bytes: offset };
}
