import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { SegmentDamaged } from '../../domain/errors.ts';
import type { RecordedEvent } from '../../domain/event/index.ts';
import { cloudEvent, eventLine, toCloudEvent } from '../../domain/history/index.ts';
import type { NewRecord, StoredRecord } from './connection.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The server refuses more than a mebibyte per append by default; larger events go compressed, as bytes. */
export const plainBytes = 512 * 1024;
const longest = 256 * 1024 * 1024;

/** An event and its line, as it is stored and as the hash sees it. */
export interface Entry {
  readonly event: RecordedEvent;
  readonly line: string;
}

export const toEntry = (event: RecordedEvent): Entry => ({ event, line: eventLine(event) });

/** The same event gets the same id, so that the server knows a repeated append. */
export async function toRecord({ event, line }: Entry): Promise<NewRecord> {
  const id = uuidOf(`${event.source}\n${event.id}\n${event.position}`);
  return Buffer.byteLength(line) <= plainBytes
    ? { id, type: event.type, json: toCloudEvent(event) }
    : { id, type: event.type, bytes: await compress(Buffer.from(line)) };
}

export async function fromRecord({ content, revision }: StoredRecord, stream: string): Promise<Entry> {
  try {
    const line =
      'json' in content ? JSON.stringify(content.json) : (await decompress(content.bytes, { maxOutputLength: longest })).toString('utf8');
    return { event: cloudEvent.parse(JSON.parse(line)), line };
  } catch (error) {
    throw SegmentDamaged({ segment: `${stream} at revision ${revision}`, reason: 'it is not the event that was written' }, error);
  }
}

/** A UUID made from a name (RFC 9562, version 8). */
export function uuidOf(name: string): string {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
