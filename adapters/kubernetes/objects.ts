import { ClusterUnavailable } from '../../domain/errors.ts';
import { apiVersionOf, type ObjectPage, type ResourceKind, type StoredObject } from '../../domain/ports/index.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw ClusterUnavailable({ reason: 'its answer is not JSON' }, error);
  }
}

/**
 * What the server gave as an object of `kind`, without managedFields. Items of a list carry no apiVersion and kind for built-in kinds, and
 * what some aggregated servers compute has no uid: the former are filled in, the latter is an empty text. Undefined when it is no object at all.
 * Checked by hand, as a schema would cost more than the parsing of a list of thousands.
 */
export function storedObject(value: unknown, kind: ResourceKind): StoredObject | undefined {
  if (!isFields(value) || !isFields(value.metadata) || typeof value.metadata.name !== 'string') return undefined;
  const { managedFields: _, ...metadata } = value.metadata;
  return {
    ...value,
    apiVersion: text(value.apiVersion) || apiVersionOf(kind),
    kind: text(value.kind) || kind.kind,
    metadata: {
      ...metadata,
      name: value.metadata.name,
      uid: text(metadata.uid),
      resourceVersion: text(metadata.resourceVersion),
      creationTimestamp: text(metadata.creationTimestamp),
    },
  };
}

/** As `storedObject`; anything else was no answer of an API server. */
export function requireObject(value: unknown, kind: ResourceKind): StoredObject {
  const object = storedObject(value, kind);
  if (object === undefined) throw ClusterUnavailable({ reason: `its answer is no ${kind.kind}` });
  return object;
}

export function page(value: unknown, kind: ResourceKind): ObjectPage {
  if (!isFields(value) || !isFields(value.metadata) || !(Array.isArray(value.items) || value.items === null)) {
    throw ClusterUnavailable({ reason: `its answer is no list of ${kind.plural}` });
  }
  const items = (value.items ?? []).map((item: unknown) => requireObject(item, kind));
  const next = text(value.metadata.continue);
  return { items, resourceVersion: text(value.metadata.resourceVersion), ...(next === '' ? {} : { continue: next }) };
}

/** What a reflector keeps: without the annotation that repeats the whole object. */
export function forKeeping(object: StoredObject): StoredObject {
  const { annotations } = object.metadata;
  if (annotations?.[lastApplied] === undefined) return object;
  const { [lastApplied]: _, ...rest } = annotations;
  return { ...object, metadata: { ...object.metadata, annotations: rest } };
}
