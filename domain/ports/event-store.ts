import type { AppendId, NewEvent, Position, RecordedEvent, StreamName, Term } from '../event/index.ts';

/** What an append expects of its stream. `number` is the version of the last event it has seen. */
export type Expected = 'any' | 'none' | 'exists' | number;

export type Appended =
  | { readonly outcome: 'appended'; readonly version: number; readonly position: Position }
  | { readonly outcome: 'duplicate'; readonly version: number; readonly position: Position } // this append was made before
  | { readonly outcome: 'conflict'; readonly version: number } // the stream is elsewhere; nothing was written
  | { readonly outcome: 'superseded'; readonly term: Term }; // somebody newer leads; nothing was written

/** One append: all its events or none. `version` and `position` of the answer are those of its last event. */
export interface Append {
  readonly stream: StreamName;
  /** 1 to 100 events. */
  readonly events: readonly NewEvent[];
  readonly expected: Expected;
  readonly id: AppendId;
  readonly term?: Term;
}

/**
 * An object's state as somebody saw it. Recorded once per uid and resourceVersion, by whoever is first; an older one is dropped.
 * `resourceVersion` is compared as a number (Kubernetes promises that from 1.35 on and etcd has always kept it).
 */
export interface Observation {
  readonly stream: StreamName;
  readonly uid: string;
  readonly resourceVersion: string;
  /** True when the object is gone: what is seen of this uid later is dropped. */
  readonly gone: boolean;
  readonly event: NewEvent;
}

export type Observed =
  | { readonly outcome: 'recorded'; readonly version: number; readonly position: Position }
  | { readonly outcome: 'known' } // this state or a newer one stands in the log
  | { readonly outcome: 'superseded'; readonly term: Term };

export interface ReadLog {
  readonly follow?: AbortSignal;
  /** Events read at once. Default 250. */
  readonly batch?: number;
  readonly gather?: (signal: AbortSignal) => Promise<void>;
}

/**
 * The log of one cluster. Every method throws `StoreUnavailable` when the answer is not known (call again with the same append id),
 * and `StoreFull` when the store refused for want of memory: nothing was written.
 */
export interface EventStore {
  append(append: Append): Promise<Appended>;
  /** Independent appends in one round trip, answers in the same order. One that is refused does not stop the others. */
  appendAll(appends: readonly Append[]): Promise<readonly Appended[]>;
  /** Records what was seen of objects, each on its own. `term` is the leader's, for what only the leader may append. */
  observe(observations: readonly Observation[], term?: Term): Promise<readonly Observed[]>;
  /** Events of one stream after `version`, oldest first. Only streams that keep an index of their own (`isIndexed`); others throw `StreamNotIndexed`. Reads on into the archive without a seam. */
  read(stream: StreamName, after?: number): AsyncIterable<RecordedEvent>;
  /**
   * The whole log after a position, in batches that are never empty. Ends at the log's end; with `follow` it waits for more until the signal
   * aborts (then it ends without an error). Throws `PositionTrimmed` when events after it were trimmed and no archive has them.
   * `gather` is awaited before each such wait, with the signal: a follower that can be a little late reads many events at once.
   */
  log(after: Position, how?: ReadLog): AsyncIterable<readonly RecordedEvent[]>;
  /** The position of the last event, `0-0` when there is none. */
  end(): Promise<Position>;
  /** Position of the first event that is still in the log (not in an archive), `0-0` when there is none, and how many there are. */
  extent(): Promise<{ readonly first: Position; readonly last: Position; readonly events: number }>;
}

/** Streams whose history is read one by one keep an index; a command's events are found through the views. */
export const isIndexed = (stream: StreamName): boolean => !stream.startsWith('command/');
