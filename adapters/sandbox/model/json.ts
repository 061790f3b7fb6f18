/** JSON as it came from the wire. A missing key and an undefined value are the same; both vanish in print. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
export const asList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
export const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
export const texts = (value: Json | undefined): string[] => asList(value).filter((each) => typeof each === 'string');

/** Equal by value; the order of keys does not matter, undefined counts as missing. */
export function same(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((each, at) => same(each, right[at]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left).filter((key) => left[key] !== undefined);
  return (
    keys.length === Object.keys(right).filter((key) => right[key] !== undefined).length && keys.every((key) => same(left[key], right[key]))
  );
}

export const copy = <T extends Json | undefined>(value: T): T => structuredClone(value);

/** The object without some of its keys. */
export function without(object: JsonObject, ...keys: string[]): JsonObject {
  const rest = { ...object };
  for (const key of keys) delete rest[key];
  return rest;
}
