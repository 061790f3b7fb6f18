/** A kind as discovery names it. */
export interface ResourceKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** `v1` or `group/version`. */
export const apiVersionOf = (kind: Pick<ResourceKind, 'group' | 'version'>): string =>
  kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
  }[];
  readonly managedFields?: readonly unknown[];
}

/** Any Kubernetes object. Its further fields are unknown until a schema has looked at them. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** An object as the API server gave it: it has its identity. */
export interface StoredObject extends KubernetesObject {
  readonly metadata: ObjectMeta & { readonly uid: string; readonly resourceVersion: string; readonly creationTimestamp: string };
}

export interface ObjectRef {
  readonly name: string;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
}

export interface Call {
  readonly signal?: AbortSignal;
}

/** A write. The command's id goes with it as annotation `mogenius.com/command`, the field manager is the operator's. */
export interface Write extends Call {
  readonly command?: string;
  readonly dryRun?: boolean;
  /** Writes the status subresource; the annotation is left out there. */
  readonly subresource?: 'status';
}

export const commandAnnotation = 'mogenius.com/command';

export interface ObjectPage {
  readonly items: readonly StoredObject[];
  /** To be used for a watch: never an item's own. */
  readonly resourceVersion: string;
  readonly continue?: string;
}

/**
 * The Kubernetes API. A refusal of the server throws `ClusterRefused` with its status, reason and sentence;
 * no answer throws `ClusterUnavailable` (for a write: it may or may not have happened). `managedFields` are stripped from all answers.
 */
export interface Cluster {
  /** Undefined when there is none: any other failure throws. */
  get(kind: ResourceKind, ref: ObjectRef, how?: Call): Promise<StoredObject | undefined>;
  /** One page; `limit` defaults to 500. */
  list(
    kind: ResourceKind,
    how?: Call & {
      readonly namespace?: string;
      readonly labelSelector?: string;
      readonly fieldSelector?: string;
      readonly limit?: number;
      readonly continue?: string;
    },
  ): Promise<ObjectPage>;
  create(kind: ResourceKind, object: KubernetesObject, how?: Write): Promise<StoredObject>;
  /** PUT: with `metadata.resourceVersion` it is refused with 409 Conflict when the object has moved on. */
  replace(kind: ResourceKind, object: KubernetesObject, how?: Write): Promise<StoredObject>;
  /** JSON merge patch (RFC 7386). */
  merge(kind: ResourceKind, ref: ObjectRef, patch: Readonly<Record<string, unknown>>, how?: Write): Promise<StoredObject>;
  /** Server-side apply under the operator's field manager. */
  apply(kind: ResourceKind, object: KubernetesObject, how?: Write & { readonly force?: boolean }): Promise<StoredObject>;
  /** `uid` is a precondition: another object under the same name is left alone and answers 409 Conflict. Undefined when the server deleted it at once. */
  delete(
    kind: ResourceKind,
    ref: ObjectRef,
    how?: Write & {
      readonly uid?: string;
      readonly resourceVersion?: string;
      readonly propagation?: 'Foreground' | 'Background' | 'Orphan';
    },
  ): Promise<StoredObject | undefined>;
  /** Kinds that can be listed and watched, in the versions the server prefers; groups that failed are named. */
  discover(how?: Call): Promise<{ readonly kinds: readonly ResourceKind[]; readonly failed: readonly string[] }>;
  /** The server's version, e.g. `v1.34.4`: also the cheapest question whether it answers. */
  version(how?: Call): Promise<string>;
  /** TokenReview: whose token this is, or undefined when it isn't valid. */
  reviewToken(token: string, how?: Call): Promise<{ readonly username: string; readonly groups: readonly string[] } | undefined>;
}

/** One change as a watch or a relist found it. `before` is what was known until now. */
export type ObjectChange =
  | { readonly type: 'appeared'; readonly object: StoredObject /** true while the first list is delivered */; readonly initial: boolean }
  | { readonly type: 'changed'; readonly object: StoredObject; readonly before: StoredObject }
  | {
      readonly type: 'vanished';
      readonly object: StoredObject /** the version of the deletion, where the server told it */;
      readonly resourceVersion?: string;
    };

export interface ReflectorStatus {
  readonly state: 'starting' | 'watching' | 'failing' | 'stopped';
  /** Why it is failing; absent otherwise. */
  readonly reason?: string;
  /** True once a whole list was delivered. Never false again. */
  readonly synced: boolean;
  readonly objects: number;
  /** Epoch ms of the last sign of life from the server. */
  readonly heardAt?: number;
}

/** Follows all objects of one kind. */
export interface Reflector {
  status(): ReflectorStatus;
  /** Resolves when a whole list was delivered; rejects with the signal's reason. */
  synced(signal: AbortSignal): Promise<void>;
}

/** Makes reflectors. */
export interface ObjectSource {
  /**
   * Delivers changes in order, one batch after the other: the next one waits for the handler. A handler that throws is reported
   * (status `failing`) and gets the same batch again after a pause. Ends when the signal aborts.
   */
  follow(
    kind: ResourceKind,
    how: {
      readonly namespace?: string;
      readonly signal: AbortSignal;
      readonly handle: (changes: readonly ObjectChange[]) => Promise<void>;
    },
  ): Reflector;
}

/** Who leads. */
export interface Leadership {
  /** The term while this process leads; undefined otherwise. Checked by a monotonic clock before the Lease could have run out. */
  term(): number | undefined;
  /** Calls back on every gain and loss. `signal` aborts when the lead is lost. */
  onLead(lead: (term: number, signal: AbortSignal) => void): void;
  /** Who holds the lead as far as this process has seen. */
  status(): { readonly leading: boolean; readonly holder?: string; readonly reason?: string };
}
