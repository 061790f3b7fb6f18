import { isObject, type Json } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import type { Schema } from '../schema/schema.ts';
import { listKeys } from '../schema/shape.ts';

/** How a value is merged and owned: as one, by key, by item. */
export interface Outline {
  readonly atomic: boolean;
  /** For lists: `set`, the keys of items, or undefined for a list owned as one. */
  readonly keys?: 'set' | readonly string[];
  /** Whether the field is declared: maps whose entries are not own their entries as members. */
  declared(field: string): boolean;
  at(field: string): Outline;
  item(): Outline;
}

const loose: Outline = { atomic: false, declared: () => false, at: () => loose, item: () => loose };

const ofSchema = (schema: Schema | undefined): Outline => {
  if (!schema) return loose;
  const keys = listKeys(schema);
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    ...(keys === undefined ? {} : { keys }),
    declared: (field) => schema.properties?.[field] !== undefined,
    at: (field) =>
      ofSchema(schema.properties?.[field] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)),
    item: () => ofSchema(schema.items),
  };
};

/** Lists of built-in kinds whose items are told apart by keys, by the name of the field. Others are owned as one. */
const keyed: Readonly<Record<string, 'set' | readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  imagePullSecrets: ['name'],
  secrets: ['name'],
  conditions: ['type'],
  hostAliases: ['ip'],
  ownerReferences: ['uid'],
  finalizers: 'set',
};
const atomicMaps = new Set([
  'selector',
  'labelSelector',
  'podSelector',
  'namespaceSelector',
  'resourceFieldRef',
  'secretKeyRef',
  'configMapKeyRef',
  'fieldRef',
  'roleRef',
]);
/** Maps whose entries are names of users: everything else in a built-in kind is declared by its type. */
const openMaps = new Set([
  'data',
  'stringData',
  'binaryData',
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'limits',
  'requests',
  'parameters',
]);

const builtIn = (field: string, parent: string): Outline => {
  const keys = field === 'ports' ? (parent === 'spec' ? ['port', 'protocol'] : ['containerPort', 'protocol']) : keyed[field];
  return {
    atomic: atomicMaps.has(field),
    ...(keys === undefined ? {} : { keys }),
    declared: () => !openMaps.has(field),
    at: (next) => builtIn(next, field),
    item: () => builtIn(`${field}[]`, field),
  };
};

const metadata = builtIn('metadata', '');

export function outlineOf(kind: Kind): Outline {
  const root = kind.custom ? ofSchema(kind.schema) : builtIn('', '');
  return { ...root, declared: () => true, at: (field) => (field === 'metadata' ? metadata : root.at(field)) };
}

/** The segment of an item, or undefined when it lacks its keys. */
export function segmentOf(item: Json, keys: 'set' | readonly string[]): string | undefined {
  if (keys === 'set') return `v:${JSON.stringify(item)}`;
  if (!isObject(item)) return undefined;
  const found: Record<string, Json> = {};
  for (const key of [...keys].sort()) {
    const value = item[key] ?? (key === 'protocol' ? 'TCP' : undefined);
    if (value === undefined) return undefined;
    found[key] = value;
  }
  return `k:${JSON.stringify(found)}`;
}
