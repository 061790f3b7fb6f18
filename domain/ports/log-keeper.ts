import type { Position } from '../event/index.ts';

/** Keeps the log within its bounds. Throws as the event store does; works at `maxmemory` too, or nothing could ever be freed. */
export interface LogKeeper {
  /** Bytes the log takes, and Valkey's bound (0: none). */
  size(): Promise<{ readonly bytes: number; readonly maxmemory: number; readonly usedMemory: number }>;
  /** How far the log is archived and read back; moves only forward. */
  archived(): Promise<Position>;
  markArchived(upTo: Position): Promise<void>;
  /** The position of the oldest command without an outcome; undefined when there is none. */
  oldestOpenCommand(): Promise<Position | undefined>;
  /**
   * Removes events up to and with `upTo`, with what belongs to them (versions of command streams, index entries), in bounded slices.
   * Never past the archived mark or an unfinished command, whatever was asked: the answer says how far it went.
   */
  trim(
    upTo: Position,
  ): Promise<{ readonly removed: number; readonly first: Position; readonly stoppedBy?: 'not archived' | 'open command' }>;
}
