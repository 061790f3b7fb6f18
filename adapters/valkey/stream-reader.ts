import { comparePositions, origin, type RecordedEvent, type StreamName } from '../../domain/event/index.ts';
import type { ArchiveReader } from './archive.ts';
import type { ValkeyConnection } from './connection.ts';
import { decodeEntry } from './log-reader.ts';
import { asList, asPosition } from './reply.ts';

const page = 100;

/** Events of one stream after a version: those that were trimmed from the archive, the others through the stream's index. */
export async function* readStream(
  connection: ValkeyConnection,
  source: string,
  stream: StreamName,
  after: number,
  archive: ArchiveReader | undefined,
): AsyncGenerator<RecordedEvent> {
  const log = `${connection.tag}:log`;
  let from = after;
  let archivedUpTo = origin;
  for (;;) {
    const [positions, kept] = await Promise.all([
      connection.call('positions_after', [stream, from, page]),
      connection.fetch('GET', [`${connection.tag}:trimmed`]),
    ]);
    const trimmed = kept === null ? origin : asPosition(kept);
    if (archive && comparePositions(archivedUpTo, trimmed) < 0) {
      archivedUpTo = trimmed;
      for await (const event of archive.read(stream, from)) {
        if (comparePositions(event.position, trimmed) > 0) break;
        from = event.version;
        yield event;
      }
      continue;
    }
    const found = await Promise.all(
      asList(positions).map((position) => connection.fetch('XRANGE', [log, asPosition(position), asPosition(position)])),
    );
    const events = found.flatMap((entries) => asList(entries)).map((entry) => decodeEntry(source, entry));
    // Fewer than the index named: a trim came between the two reads, and the archive has them now.
    if (events.length < found.length && archive) continue;
    for (const event of events) {
      from = event.version;
      yield event;
    }
    if (found.length < page) return;
  }
}
