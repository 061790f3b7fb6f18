import { asList, asObject, isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Column, Kind } from '../model/kind.ts';
import type { Stored } from '../store/stored.ts';

const nameColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
};

const age: Column = { name: 'Age', type: 'string', jsonPath: '.metadata.creationTimestamp' };
const builtInColumns: Readonly<Record<string, readonly Column[]>> = {
  Namespace: [{ name: 'Status', type: 'string', jsonPath: '.status.phase' }, age],
  Secret: [{ name: 'Type', type: 'string', jsonPath: '.type' }, { name: 'Data', type: 'string', jsonPath: '#data' }, age],
  ConfigMap: [{ name: 'Data', type: 'string', jsonPath: '#data' }, age],
  CustomResourceDefinition: [{ name: 'Created At', type: 'date', format: 'date-time', jsonPath: '.metadata.creationTimestamp' }],
};

/** Objects as `kubectl get` prints them. */
export function table(kind: Kind, objects: readonly Stored[], metadata: JsonObject, now: number, include: string): JsonObject {
  const columns = kind.custom ? kind.columns : (builtInColumns[kind.kind] ?? [age]);
  const definitions = columns.map((column) => ({
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ?? `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
    priority: column.priority ?? 0,
  }));
  const rows = objects.map((object): JsonObject => {
    const cells = [object.metadata.name ?? null, ...columns.map((column) => cell(object, column, kind.custom, now))];
    return include === 'None' ? { cells } : { cells, object: include === 'Object' ? object : partial(object) };
  });
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions: [nameColumn, ...definitions], rows };
}

export const partial = (object: JsonObject): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: asObject(object.metadata),
});

function cell(object: JsonObject, column: Column, custom: boolean, now: number): Json {
  if (column.jsonPath.startsWith('#')) return Object.keys(asObject(object[column.jsonPath.slice(1)])).length;
  const found = select(object, column.jsonPath);
  if (found === undefined || found === null) return null;
  const isTime = column.type === 'date' || column === age;
  if (isTime && column.format !== 'date-time' && typeof found === 'string') return elapsed(now - Date.parse(found));
  return isObject(found) || Array.isArray(found) ? (custom ? JSON.stringify(found) : null) : found;
}

/** `.spec.a`, `.items[0]` and `.conditions[?(@.type=="Ready")].status`: what printer columns use. */
export function select(object: JsonObject, path: string): Json | undefined {
  let at: Json | undefined = object;
  for (const [, name, test, key, wanted, index] of path.matchAll(/\.([^.[\]]+)|\[(\?\(@\.([^=]+)==["']([^"']*)["']\))\]|\[(\d+)\]/g)) {
    if (name !== undefined) at = asObject(at)[name];
    else if (test !== undefined) at = asList(at).find((each) => isObject(each) && each[key ?? ''] === wanted);
    else at = asList(at)[Number(index)];
  }
  return at;
}

/** 5s, 3m20s, 2h, 4d: rounded as people read it. */
function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
