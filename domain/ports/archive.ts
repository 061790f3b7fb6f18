import type { Position, RecordedEvent, StreamName } from '../event/index.ts';

/** A run of the log that stands in the archive, whole and never changed. */
export interface Segment {
  /** Counted from 1. */
  readonly number: number;
  /** The segment holds every event of the log after this position, up to and with `last`. Where it is after the segment before it, events are missing. */
  readonly after: Position;
  readonly first: Position;
  readonly last: Position;
  readonly events: number;
  /** Bytes it takes where it lies. */
  readonly bytes: number;
  /** SHA-256 (hex) over `previous` and the events' lines (`eventLine`), each with a line feed: whoever changes one changes all later hashes. */
  readonly hash: string;
  /** Hash of the segment before it; 64 zeros for the first. */
  readonly previous: string;
}

/** `previous` of the first segment. */
export const chainStart = '0'.repeat(64);

export type Written =
  | { readonly outcome: 'written'; readonly segment: Segment }
  | { readonly outcome: 'conflict'; readonly last: Position }; // the archive ends after `after`: it was written before, or by somebody else

/**
 * Keeps the log beyond what the store can hold. Throws `ArchiveUnavailable` when it does not answer (try again: nothing is half there for a
 * reader), and `SegmentDamaged` with the segment's name when what it holds is not what was written.
 */
export interface Archive {
  /** For messages: what it is and where, without secrets. */
  readonly name: string;
  /**
   * Adds one segment behind the last one: readers see it whole or not at all. `events` are all events of the log after `after`, oldest first,
   * at least one; they are never held in memory together. What `events` throws passes through and leaves nothing behind.
   */
  write(segment: { readonly after: Position; readonly events: AsyncIterable<readonly RecordedEvent[]> }): Promise<Written>;
  /** All segments, oldest first. */
  segments(): AsyncIterable<Segment>;
  last(): Promise<Segment | undefined>;
  /** Reads every event of a segment back and computes its hash from what it read and the hash of the segment before it. */
  verify(number: number): Promise<Segment>;
  /**
   * Events after a position, in batches of at most 250 that are never empty, oldest first; ends at the archive's end. Throws `PositionTrimmed`
   * when events right after the position are not in the archive but later ones are.
   */
  log(after: Position): AsyncIterable<readonly RecordedEvent[]>;
  /** Events of one stream after a version, oldest first. `from` spares looking into segments that end there or before. */
  read(stream: StreamName, after?: number, from?: Position): AsyncIterable<RecordedEvent>;
  /** The event at a position; undefined when there is none. */
  find(position: Position): Promise<RecordedEvent | undefined>;
  /** Lets go of connections. */
  close(): Promise<void>;
}
