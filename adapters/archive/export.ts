import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { ExportInvalid } from '../../domain/errors.ts';
import { comparePositions, type Position, type RecordedEvent } from '../../domain/event/index.ts';
import { cloudEvent, eventLine } from '../../domain/history/index.ts';

/** First line of an export. The numbers that are known only at the end are in its last line. */
const head = z.object({ kind: z.literal('export'), format: z.literal(1), cluster: z.string() });

/** Last line: whoever reads so far knows that nothing is missing. `hash` is SHA-256 over the events' lines, each with a line feed. */
const foot = z.object({
  kind: z.literal('end'),
  first: z.string().nullable(),
  last: z.string().nullable(),
  events: z.int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ExportSummary = Omit<z.infer<typeof foot>, 'kind'>;

export interface ExportRange {
  readonly cluster: string;
  /** Events after this position. What comes from the reading is taken as it comes; earlier ones are left out. */
  readonly from?: Position;
  /** Up to and with this position. */
  readonly to?: Position;
}

/**
 * Writes events as JSON lines of CloudEvents between a first line that names the cluster and a last one with count and hash. Waits when the
 * target is slow, and does not end it. The events come in the log's order.
 */
export async function exportEvents(
  events: AsyncIterable<readonly RecordedEvent[]>,
  target: Writable,
  { cluster, from, to }: ExportRange,
): Promise<ExportSummary> {
  const hash = createHash('sha256');
  let first: string | null = null;
  let last: string | null = null;
  let count = 0;
  const write = async (text: string) => {
    if (!target.write(text)) await once(target, 'drain');
  };
  await write(`${JSON.stringify({ kind: 'export', format: 1, cluster })}\n`);
  reading: for await (const batch of events) {
    let text = '';
    for (const event of batch) {
      if (from !== undefined && comparePositions(event.position, from) <= 0) continue;
      if (to !== undefined && comparePositions(event.position, to) > 0) {
        await write(text);
        hash.update(text);
        break reading;
      }
      text += `${eventLine(event)}\n`;
      first ??= event.position;
      last = event.position;
      count += 1;
    }
    hash.update(text);
    if (text !== '') await write(text);
  }
  const summary: ExportSummary = { first, last, events: count, hash: hash.digest('hex') };
  await write(`${JSON.stringify({ kind: 'end', ...summary })}\n`);
  return summary;
}

/** Events of one batch, and most characters of one line. */
const batchEvents = 250;
const longestLine = 64 * 1024 * 1024;

/**
 * Reads an export back in batches, oldest first. Throws `ExportInvalid` with the line's number where it is cut off, changed or out of order: what was
 * read before that stood in the file, but whether the file is whole is known only when the reading ends without an error.
 */
export async function* readExport(
  source: Readable,
): AsyncGenerator<readonly RecordedEvent[], ExportSummary & { readonly cluster: string }> {
  const hash = createHash('sha256');
  let line = 0;
  let cluster: string | undefined;
  let end: ExportSummary | undefined;
  let first: Position | undefined;
  let last: Position | undefined;
  let count = 0;
  let batch: RecordedEvent[] = [];
  const wrong = (reason: string, cause?: unknown) => ExportInvalid({ line, reason }, cause);

  for await (const text of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text === '') continue;
    if (text.length > longestLine) throw wrong('it is too long');
    if (end) throw wrong('something stands behind the last line');
    const json = parsed(text, wrong);
    if (cluster === undefined) {
      const found = head.safeParse(json);
      if (!found.success) throw wrong('it is not the first line of an export of this format', found.error);
      cluster = found.data.cluster;
      continue;
    }
    const footer = foot.safeParse(json);
    if (footer.success) {
      const { kind: _, ...summary } = footer.data;
      end = summary;
      continue;
    }
    const event = cloudEvent.safeParse(json);
    if (!event.success) throw wrong('it is no event', event.error);
    if (last !== undefined && comparePositions(event.data.position, last) <= 0)
      throw wrong(`the event at ${event.data.position} is out of order`);
    hash.update(`${text}\n`);
    first ??= event.data.position;
    last = event.data.position;
    count += 1;
    batch.push(event.data);
    if (batch.length >= batchEvents) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
  if (cluster === undefined) throw wrong('the file is empty');
  if (!end) throw wrong('the last line is missing: the file is cut off');
  if (end.events !== count || end.first !== (first ?? null) || end.last !== (last ?? null))
    throw wrong('it names other events than the file holds');
  if (hash.digest('hex') !== end.hash) throw wrong('the hash of the events is another: the file was changed');
  return { ...end, cluster };
}

function parsed(text: string, wrong: (reason: string, cause: unknown) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrong('it is not JSON', error);
  }
}
