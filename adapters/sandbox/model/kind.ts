import type { Schema } from '../schema/schema.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** A kind in one version, as the server serves it. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  /** Has the status subresource: status is written there only. */
  readonly status: boolean;
  /** What counts as a new generation: a change outside metadata (and status), or nothing. */
  readonly generation: boolean;
  /** How names are checked. */
  readonly names: 'label' | 'subdomain' | 'service' | 'path';
  /** A PUT without resourceVersion is refused. */
  readonly conditionalUpdates: boolean;
  /** Of a custom resource: it is pruned, filled and checked by it. */
  readonly schema?: Schema;
  readonly columns: readonly Column[];
  /** Of a built-in kind: fields beside apiVersion, kind and metadata that exist. The rest is dropped. Absent: all are kept. */
  readonly fields?: readonly string[];
  readonly custom: boolean;
  /** Fields that may be selected by beside metadata.name and metadata.namespace. */
  readonly selectable: readonly string[];
}

export const apiVersionOf = (kind: { readonly group: string; readonly version: string }): string =>
  kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
export const isNamespace = (kind: Kind): boolean => kind.kind === 'Namespace' && !kind.custom;
export const isDefinition = (kind: Kind): boolean => kind.kind === 'CustomResourceDefinition' && !kind.custom;
/** All versions of a kind share their objects. */
export const storeKeyOf = (kind: { readonly group: string; readonly plural: string }): string => `${kind.group}/${kind.plural}`;
