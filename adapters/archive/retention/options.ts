import type { Position } from '../../../domain/event/index.ts';
import type { Archive, Clock, EventStore, Leadership, Log, LogKeeper, Metrics, Module } from '../../../domain/ports/index.ts';

export interface RetentionOptions {
  /** The log itself, not a history over it: what is archived is what stands there, in the versions it was written in. */
  readonly store: EventStore;
  readonly keeper: LogKeeper;
  /** Without one nothing is ever trimmed: it is only said when the log is past its bounds. */
  readonly archive?: Archive;
  /** Without it this process always leads. */
  readonly leadership?: Leadership;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How long events stay in the log, in milliseconds. */
  readonly maxAge: number;
  /** Bytes the log may take. 0: half of the store's `maxmemory`, or 1 GiB where it has none. */
  readonly maxBytes: number;
  /** Events of a whole segment. Default 10,000. */
  readonly segmentEvents?: number;
  /** Younger events stay out of the archive, in milliseconds: a failover may still take them from the log. Default one minute. */
  readonly settle?: number;
  /** Milliseconds between two passes, ± 10 %. Default one minute. */
  readonly interval?: number;
  /** Where the slowest reader stands that is alive. It is waited for as long as the log is within its bytes; then it goes on from the archive. */
  readonly readers?: () => Promise<Position | undefined>;
}

/** What one pass did. */
export interface Pass {
  /** Segments written and read back. */
  readonly segments: number;
  /** Events removed from the log. */
  readonly removed: number;
  /** Why the log is past its bounds and stays there; absent when it is within. */
  readonly stuck?: string;
  /** True when the pass ended for its bound of work, not for want of it. */
  readonly more: boolean;
}

export interface Retention extends Module {
  /** One pass, as the timer makes them. For tests and for a person who wants it now. Does nothing where this process does not lead. */
  pass(signal: AbortSignal): Promise<Pass>;
}

export const idle: Pass = { segments: 0, removed: 0, more: false };
