import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Schema } from './schema.ts';

/** Drops what a structural schema does not know; returns the paths of what was dropped. Changes the value. */
export function prune(value: Json | undefined, schema: Schema, path = '', dropped: string[] = []): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) value.forEach((each, at) => void prune(each, items, `${path}[${at}]`, dropped));
    return dropped;
  }
  if (!isObject(value)) return dropped;
  for (const key of Object.keys(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const own = schema.properties?.[key] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    if (own) prune(value[key], own, at, dropped);
    else if (schema['x-kubernetes-embedded-resource'] && ['apiVersion', 'kind', 'metadata'].includes(key)) continue;
    else if (!schema['x-kubernetes-preserve-unknown-fields'] && schema.additionalProperties !== true) {
      delete value[key];
      dropped.push(at);
    }
  }
  return dropped;
}

/** Fills in defaults, and drops a null that is not nullable where a default stands or the field is optional. Changes the value. */
export function fill(value: Json | undefined, schema: Schema): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const each of value) fill(each, items);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, own] of Object.entries(schema.properties ?? {})) {
    dropNull(value, key, own);
    if (value[key] === undefined && own.default !== undefined) value[key] = structuredClone(own.default);
    if (value[key] !== undefined) fill(value[key], own);
  }
  if (typeof schema.additionalProperties === 'object') {
    for (const key of Object.keys(value)) if (!schema.properties?.[key]) fill(value[key], schema.additionalProperties);
  }
}

function dropNull(value: JsonObject, key: string, own: Schema): void {
  if (value[key] === null && !own.nullable && (own.type !== undefined || own['x-kubernetes-int-or-string'])) delete value[key];
}

/** The keys that tell items of a list apart: `set` for values, a list of names for objects, undefined when the list is one value. */
export function listKeys(schema: Schema | undefined): 'set' | readonly string[] | undefined {
  if (schema?.['x-kubernetes-list-type'] === 'set') return 'set';
  return schema?.['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
}

export const hasRules = (schema: Schema): boolean =>
  (schema['x-kubernetes-validations']?.length ?? 0) > 0 ||
  Object.values(schema.properties ?? {}).some(hasRules) ||
  (schema.items !== undefined && hasRules(schema.items)) ||
  (typeof schema.additionalProperties === 'object' && hasRules(schema.additionalProperties));
