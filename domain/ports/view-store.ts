import type { Position } from '../event/index.ts';

/**
 * A stored view is rows (a key with named parts, each a JSON text) and ordered indexes of their keys.
 * Parts let a fold add to a row without reading it; a reader gets the parts it asks for.
 * Names of parts and indexes hold no control characters; keys may hold anything. A row is there once something was put or placed,
 * and with `existing` a write is left out when it is not: an outcome must not bring back a row that a cap has removed.
 */
export type ViewWrite =
  /** `once` leaves a part alone that is there. A row takes `maxParts` parts; a further one is left out and the part `more` says so. */
  | {
      readonly op: 'put';
      readonly key: string;
      readonly part: string;
      readonly value: string;
      readonly existing?: boolean;
      readonly once?: boolean;
    }
  /**
   * Files a row under indexes: index name -> score. Where it is filed is remembered, so that removing it leaves nothing behind.
   * What stands before the first colon of the name is its family: a row is filed once in each, so `phase:failed` takes it out of
   * `phase:accepted`. `same` is the score it has in the family, or else in the index it was filed under first; nothing when there is none.
   */
  | {
      readonly op: 'place';
      readonly key: string;
      readonly indexes: Readonly<Record<string, number | 'same'>>;
      readonly existing?: boolean;
    }
  | { readonly op: 'remove'; readonly key: string }
  /** Keeps the `keep` rows of the highest scores of an index and removes the others wholly, after all other writes of the batch. */
  | { readonly op: 'cap'; readonly index: string; readonly keep: number }
  /** Removes rows whose score in the index is below, lowest first, at most `limit` at once, after all other writes of the batch. */
  | { readonly op: 'expire'; readonly index: string; readonly below: number; readonly limit: number };

/** Parts a row may have. */
export const maxParts = 200;

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
  | { readonly outcome: 'gone' } // this build was dropped or another one took its place; nothing was written
  | { readonly outcome: 'corrupt'; readonly found: string }; // the checkpoint is no position; nothing was written, a person must look

export interface Page {
  /** Several are read as one in the order of their scores; they must share no row, or the total counts it twice. */
  readonly index: string | readonly string[];
  readonly order: 'ascending' | 'descending';
  readonly offset: number;
  readonly limit: number;
  /** Scores, both inclusive. */
  readonly min?: number;
  readonly max?: number;
}

export interface ViewBuild {
  readonly view: ViewId;
  readonly checkpoint: Position | { readonly corrupt: string };
  readonly live: boolean;
}

/** Where stored projections write. Throws `StoreUnavailable` as the event store does. */
export interface ViewStore {
  /** The build that readers see; undefined before the first one was made live. */
  live(name: string): Promise<ViewId | undefined>;
  /** All builds of a view with their checkpoints, the live one first. Former ones past their grace time are dropped on the way. */
  builds(name: string): Promise<readonly ViewBuild[]>;
  /** Makes an empty build with checkpoint `0-0`. The generation is one above the highest known. */
  begin(name: string, version: number): Promise<ViewId>;
  /** Applies each batch wholly, with its checkpoint, or not at all; one round trip. */
  apply(batches: readonly ViewBatch[]): Promise<readonly Applied[]>;
  /**
   * Makes a build the live one if `expected` still is. The former one stays readable for a grace time, takes no more writes, then it is dropped.
   * `behind`: the build has seen less than the live one, and readers never go back; catch up first. `gone`: it was dropped.
   */
  makeLive(view: ViewId, expected: ViewId | undefined): Promise<'live' | 'elsewhere' | 'behind' | 'gone'>;
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
