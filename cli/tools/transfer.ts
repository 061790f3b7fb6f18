import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { type Client, shapes } from '../client/index.ts';
import { CommandFailed, exit, type Io } from '../frame/index.ts';
import { progress } from '../print/index.ts';
import type { Filter } from './follow.ts';

const pageSize = 1000;

/** Writes the log from a place to its end, one event per line. A file appears under its name only when it is whole. */
export async function exportEvents(
  client: Client,
  io: Io,
  how: { readonly after: string; readonly file: string; readonly filter: Filter },
): Promise<number> {
  const bar = await progress(io, 'export');
  let count = 0;

  async function* lines(): AsyncIterable<string> {
    let after = how.after;
    let first: number | undefined;
    for (;;) {
      io.signal.throwIfAborted();
      const page = await client.get('/api/v1/events', shapes.eventPage, { ...how.filter, after, limit: pageSize });
      count += page.items.length;
      after = page.next;
      first ??= timeOf(page.items[0]?.position ?? after);
      bar.at((timeOf(after) - first) / Math.max(Date.now() - first, 1), `${count} events`);
      yield page.items.map((event) => `${JSON.stringify(event)}\n`).join('');
      if (page.end) return;
    }
  }

  try {
    if (how.file === '-') for await (const text of lines()) io.out.write(text);
    else await toFile(how.file, lines);
  } finally {
    bar.stop();
  }
  io.err.write(`${count} events exported\n`);
  return exit.ok;
}

/** Opened before the first page is asked for: a place that can't be written is told at once, and no late open brings a removed file back. */
async function toFile(file: string, lines: () => AsyncIterable<string>): Promise<void> {
  const part = `${file}.part`;
  let opened: FileHandle | undefined;
  try {
    opened = await open(part, 'w', 0o600);
    const target = opened.createWriteStream();
    await (file.endsWith('.gz') ? pipeline(Readable.from(lines()), createGzip(), target) : pipeline(Readable.from(lines()), target));
    await rename(part, file);
  } catch (error) {
    if (opened) await rm(part, { force: true });
    throw error instanceof Error && 'syscall' in error
      ? new CommandFailed(`${file} can't be written: ${error.message}`, { cause: error })
      : error;
  }
}

/** Events and bytes of one call; the operator's limit for a body is above. */
const batchEvents = 500;
const batchBytes = 512 * 1024;
const imported = z.looseObject({ imported: z.number(), known: z.number() });

/** Sends the events of a file in order. What is in the log already is passed over, so running it again is safe. */
export async function importEvents(client: Client, io: Io, file: string): Promise<number> {
  const size = file === '-' ? undefined : await sizeOf(file);
  const bar = await progress(io, 'import');
  const sum = { imported: 0, known: 0, line: 0 };
  const source = file === '-' ? process.stdin : createReadStream(file);
  let read = 0;
  if (file !== '-')
    source.on('data', (chunk: Buffer | string) => {
      read += chunk.length;
    });
  let batch: unknown[] = [];
  let bytes = 0;

  const send = async () => {
    if (batch.length === 0) return;
    const answer = await client.post('/api/v1/events/import', imported, { events: batch });
    sum.imported += answer.imported;
    sum.known += answer.known;
    bar.at(size === undefined ? 0 : read / Math.max(size, 1), `${sum.imported + sum.known} events`);
    [batch, bytes] = [[], 0];
  };

  try {
    const plain = file.endsWith('.gz') ? source.compose<Readable>(createGunzip()) : source;
    for await (const line of createInterface({ input: plain, crlfDelay: Number.POSITIVE_INFINITY })) {
      io.signal.throwIfAborted();
      sum.line += 1;
      if (line.trim() === '') continue;
      batch.push(eventOf(line, file, sum.line));
      bytes += line.length;
      if (batch.length >= batchEvents || bytes >= batchBytes) await send();
    }
    await send();
  } catch (error) {
    io.err.write(`${sum.imported} events imported before it stopped; running it again goes on from there\n`);
    throw error;
  } finally {
    bar.stop();
  }
  io.err.write(`${sum.imported} events imported, ${sum.known} known already\n`);
  return exit.ok;
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw new CommandFailed(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function eventOf(line: string, file: string, at: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new CommandFailed(`${file}, line ${at}: it is not JSON`, { cause: error });
  }
}

const timeOf = (position: string) => Number(position.split('-')[0]);
