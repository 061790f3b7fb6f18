import { isObject, type Json, type JsonObject, same } from '../model/json.ts';
import { below, type Fields, noFields } from './fields.ts';
import { type Outline, segmentOf } from './outline.ts';

/** Fields that belong to the server and are nobody's. */
const unowned = [
  'name',
  'namespace',
  'creationTimestamp',
  'uid',
  'generation',
  'managedFields',
  'resourceVersion',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** The object without what is never owned. */
export function ownable(object: JsonObject): JsonObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  if (!isObject(metadata)) return rest;
  const owned = Object.fromEntries(Object.entries(metadata).filter(([key]) => !unowned.includes(key)));
  return Object.keys(owned).length === 0 ? rest : { ...rest, metadata: owned };
}

/** The fields an applied configuration names. */
export function fieldsOf(value: JsonObject, outline: Outline, into: Fields = noFields()): Fields {
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined) continue;
    const at = below(into, `f:${key}`);
    applied(each, outline.at(key), at);
    if (!outline.declared(key) || each === null || (isObject(each) && Object.keys(each).length === 0)) at.member = true;
  }
  return into;
}

function applied(value: Json, outline: Outline, at: Fields): void {
  if (isObject(value) && !outline.atomic) {
    fieldsOf(value, outline, at);
  } else if (Array.isArray(value) && outline.keys !== undefined && !outline.atomic) {
    for (const item of value) {
      const segment = segmentOf(item, outline.keys);
      if (segment === undefined) continue;
      const kid = below(at, segment);
      applied(item, outline.item(), kid);
      kid.member = true;
    }
  } else {
    at.member = true;
  }
}

export interface Difference {
  /** Fields that are there now and were not, or have another value. */
  readonly changed: Fields;
  readonly removed: Fields;
}

/** Containers of built-in kinds that are always there, so that nobody adds them. */
const always = new Set([
  'metadata',
  'spec',
  'status',
  'template',
  'containers',
  'resources',
  'strategy',
  'updateStrategy',
  'jobTemplate',
  'roleRef',
]);

/** What differs between two states, as fields. */
export function compare(before: JsonObject, after: JsonObject, outline: Outline, custom: boolean): Difference {
  const changed = noFields();
  const removed = noFields();
  const walk = (left: Json | undefined, right: Json | undefined, shape: Outline, add: Fields, remove: Fields, name: string): void => {
    if (left === right) return;
    if (isObject(left ?? right) && isObject(right ?? left) && !shape.atomic) {
      const [from, to] = [isObject(left) ? left : {}, isObject(right) ? right : {}];
      const open = name === '' || name === 'metadata' || (!custom && always.has(name));
      if (left === undefined && !open) add.member = true;
      if (right === undefined && !open) remove.member = true;
      for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
        if (from[key] !== to[key]) walk(from[key], to[key], shape.at(key), below(add, `f:${key}`), below(remove, `f:${key}`), key);
      }
    } else if (shape.keys !== undefined && Array.isArray(left ?? right) && Array.isArray(right ?? left)) {
      if (left === undefined && (custom || !always.has(name))) add.member = true;
      if (right === undefined && (custom || !always.has(name))) remove.member = true;
      lists(itemsOf(left, shape.keys), itemsOf(right, shape.keys), shape.item(), add, remove);
    } else if (!same(left, right)) {
      if (right === undefined) remove.member = true;
      else add.member = true;
    }
  };
  const lists = (left: Map<string, Json>, right: Map<string, Json>, shape: Outline, add: Fields, remove: Fields): void => {
    for (const segment of new Set([...left.keys(), ...right.keys()])) {
      const [from, to] = [left.get(segment), right.get(segment)];
      if (!same(from, to)) walk(from, to, shape, below(add, segment), below(remove, segment), segment);
    }
  };
  walk(ownable(before), ownable(after), outline, changed, removed, '');
  return { changed, removed };
}

export function itemsOf(list: Json | undefined, keys: 'set' | readonly string[]): Map<string, Json> {
  const found = new Map<string, Json>();
  if (!Array.isArray(list)) return found;
  for (const item of list) {
    const segment = segmentOf(item, keys);
    if (segment !== undefined) found.set(segment, item);
  }
  return found;
}
