import { asObject, isObject, type Json, type JsonObject, texts } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { badRequest, type Cause, invalidValue } from '../model/status.ts';
import { wrongAnnotations, wrongLabels } from './names.ts';

const textFields = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'] as const;

/** Metadata as the server knows it: other fields are dropped, empty ones too, in its order. */
export function cleanMetadata(kind: Kind, given: Json | undefined): JsonObject {
  const from = asObject(given);
  const clean: JsonObject = {};
  const bad = (field: string, is: Json) =>
    badRequest(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: json: cannot unmarshal ${goType(is)} into Go struct field ObjectMeta.metadata.${field} of type string`,
    );
  for (const field of textFields) {
    const value = from[field];
    if (value === undefined || value === null || value === '') continue;
    if (typeof value !== 'string') throw bad(field, value);
    clean[field] = value;
  }
  for (const field of ['generation', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (from[field] !== undefined && from[field] !== null) clean[field] = from[field];
  }
  for (const field of ['labels', 'annotations'] as const) {
    const map = from[field];
    if (!isObject(map) || Object.keys(map).length === 0) continue;
    for (const value of Object.values(map)) if (value !== undefined && typeof value !== 'string' && value !== null) throw bad(field, value);
    clean[field] = Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value ?? '']));
  }
  for (const field of ['ownerReferences', 'finalizers', 'managedFields'] as const) {
    const list = from[field];
    if (Array.isArray(list) && list.length > 0) clean[field] = list;
  }
  return clean;
}

export function goType(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

export const strings = (map: Json | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(asObject(map)).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));

/** What is wrong with labels, annotations, finalizers and owners. */
export function wrongMetadata(metadata: JsonObject, custom: boolean): Cause[] {
  const found = [...wrongLabels(strings(metadata.labels)), ...wrongAnnotations(strings(metadata.annotations))];
  if (!custom) {
    for (const finalizer of texts(metadata.finalizers)) {
      if (!finalizer.includes('/') && !['kubernetes', 'orphan', 'foregroundDeletion'].includes(finalizer)) {
        found.push(
          invalidValue(
            'metadata.finalizers[0]',
            JSON.stringify(finalizer),
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        );
      }
    }
  }
  return found;
}
