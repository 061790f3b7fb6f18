import type { Position } from '../event/index.ts';

/**
 * A stored view is rows (a key with named parts, each a JSON text) and ordered indexes of their keys.
 * Parts let a fold add to a row without reading it; a reader gets the parts it asks for.
 */
export type ViewWrite =
  | { readonly op: 'put'; readonly key: string; readonly part: string; readonly value: string }
  /** Files a row under indexes: index name -> score. Where it is filed is remembered, so that removing it leaves nothing behind. */
  | { readonly op: 'place'; readonly key: string; readonly indexes: Readonly<Record<string, number>> }
  | { readonly op: 'remove'; readonly key: string }
  /** Keeps the `keep` rows of the highest scores of an index and removes the others wholly. */
  | { readonly op: 'cap'; readonly index: string; readonly keep: number }
  /** Removes rows whose score in the index is below, at most `limit` at once. */
  | { readonly op: 'expire'; readonly index: string; readonly below: number; readonly limit: number };

/** One build of a view: its name, the fold's version and the generation (a rebuild makes a new one beside the live one). */
export interface ViewId {
  readonly name: string;
  readonly version: number;
  readonly generation: number;
}

export interface ViewBatch {
  readonly view: ViewId;
  /** The checkpoint this batch starts from, compared before anything is written. */
  readonly from: Position;
  readonly to: Position;
  readonly writes: readonly ViewWrite[];
}

export type Applied =
  | { readonly outcome: 'applied' }
  | { readonly outcome: 'elsewhere'; readonly checkpoint: Position } // another owner moved it; nothing was written
  | { readonly outcome: 'gone' } // this build was dropped; nothing was written
  | { readonly outcome: 'corrupt'; readonly found: string }; // the checkpoint is no position; nothing was written, a person must look

export interface Page {
  readonly index: string;
  readonly order: 'ascending' | 'descending';
  readonly offset: number;
  readonly limit: number;
  /** Scores, both inclusive. */
  readonly min?: number;
  readonly max?: number;
}

/** Where stored projections write. Throws `StoreUnavailable` as the event store does. */
export interface ViewStore {
  /** The build that readers see; undefined before the first one was made live. */
  live(name: string): Promise<ViewId | undefined>;
  /** All builds of a view with their checkpoints, the live one first. */
  builds(
    name: string,
  ): Promise<readonly { readonly view: ViewId; readonly checkpoint: Position | { readonly corrupt: string }; readonly live: boolean }[]>;
  /** Makes an empty build with checkpoint `0-0`. The generation is one above the highest known. */
  begin(name: string, version: number): Promise<ViewId>;
  /** Applies each batch wholly, with its checkpoint, or not at all; one round trip. */
  apply(batches: readonly ViewBatch[]): Promise<readonly Applied[]>;
  /** Makes a build the live one if `expected` still is. The former one stays readable for a grace time, then it is dropped. */
  makeLive(view: ViewId, expected: ViewId | undefined): Promise<'live' | 'elsewhere'>;
  /** Removes a build and all its keys, in bounded slices. */
  drop(view: ViewId): Promise<void>;
  /** Keys of an index in order of their scores (same score: by key), and how many there are in all within the bounds. */
  page(view: ViewId, page: Page): Promise<{ readonly keys: readonly string[]; readonly total: number }>;
  /** Rows by key, in the order asked for; `undefined` where there is none. Without `parts`, all of them. */
  rows(
    view: ViewId,
    keys: readonly string[],
    parts?: readonly string[],
  ): Promise<readonly (Readonly<Record<string, string>> | undefined)[]>;
  /** Every row and index entry, ordered, in slices: to compare two builds byte by byte. */
  dump(view: ViewId): AsyncIterable<string>;
}
