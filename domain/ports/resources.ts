import type { Position } from '../event/index.ts';
import type { ObjectRef, ResourceKind, StoredObject } from './cluster.ts';

/** A kind as a person or an owner reference names it: whichever version. */
export type KindName = Pick<ResourceKind, 'group' | 'kind'>;

/** One object of the index: what searching, sorting and owner lookups need, and its content when it is asked for. */
export interface Resource {
  readonly kind: ResourceKind;
  readonly name: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty for what some aggregated servers compute. */
  readonly uid: string;
  readonly resourceVersion: string;
  /** Epoch seconds; 0 when the object does not say. */
  readonly created: number;
  readonly labels: Readonly<Record<string, string>>;
  /** uids of its owner references, in their order. */
  readonly owners: readonly string[];
  /** The content. May be made anew at each call: ask once. Values of Secrets are keyed digests. */
  object(): StoredObject;
  /** The content as JSON text; `withoutData` leaves out what stands at the top under `data`. Costs no parsing. */
  text(how?: { readonly withoutData?: boolean }): string;
}

/**
 * The objects of the cluster as the log and the watches have them, in the memory of this process. Reads are synchronous and never fail:
 * freshness is asked for first (`caughtUp`), and whether absence means anything by `complete`.
 */
export interface Resources {
  /** Kinds of which something is known, by group and kind. */
  kinds(): readonly ResourceKind[];
  get(kind: KindName, ref: ObjectRef): Resource | undefined;
  /** Sorted by namespace, then name (by code unit). */
  list(kind: KindName, namespace?: string): readonly Resource[];
  /** Sorted by creation, then namespace and name. */
  byCreation(kind: KindName): readonly Resource[];
  byUid(uid: string): Resource | undefined;
  /** Objects with an owner reference to this uid, sorted as `list`. */
  owned(uid: string): readonly Resource[];
  /** True when a whole list of the kind was seen: only then absence means something. */
  complete(kind: KindName): boolean;
  /** Resolves when the index has seen the position; `stale` when it did not within `deadline` ms. */
  caughtUp(position: Position, deadline: number): Promise<'current' | 'stale'>;
}
