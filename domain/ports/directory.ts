import type { Position } from '../event/index.ts';
import type { ObjectRef, ResourceKind, StoredObject } from './cluster.ts';

/** The objects of the kinds we watch, folded from the log in the memory of this process. Reads are synchronous and never fail: freshness is asked for first. */
export interface Directory {
  get(kind: ResourceKind, ref: ObjectRef): StoredObject | undefined;
  /** Sorted by namespace, then name. */
  list(kind: ResourceKind, namespace?: string): readonly StoredObject[];
  /** True when a whole list of the kind was seen since the log began: only then absence means something. */
  complete(kind: ResourceKind): boolean;
  /** Resolves when the fold has seen the position; `stale` when it did not within `deadline` ms. */
  caughtUp(position: Position, deadline: number): Promise<'current' | 'stale'>;
}
