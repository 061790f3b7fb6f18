import type { Position, RecordedEvent, StreamName } from '../../domain/event/index.ts';

/** Where events are read that were trimmed from the log. It may hold later ones too; the store takes what it lacks. */
export interface ArchiveReader {
  /** Archived events after a position, in batches, oldest first. */
  log(after: Position): AsyncIterable<readonly RecordedEvent[]>;
  /** Archived events of one stream after a version, oldest first. */
  read(stream: StreamName, after: number): AsyncIterable<RecordedEvent>;
  /** The event at a position. */
  find(position: Position): Promise<RecordedEvent | undefined>;
}
