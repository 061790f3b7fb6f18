import { asObject, isObject, type Json, type JsonObject } from '../model/json.ts';

/**
 * A set of fields, as `managedFields` holds it: a node that is a member has `.`, or is empty.
 * Segments are `f:name`, `k:{"key":"value"}` for items of keyed lists and `v:value` for items of sets.
 */
export interface Fields {
  member: boolean;
  readonly kids: Map<string, Fields>;
}

export const noFields = (): Fields => ({ member: false, kids: new Map() });
export const isEmpty = (fields: Fields): boolean => !fields.member && [...fields.kids.values()].every(isEmpty);

/** The node below, made when it is missing. */
export function below(fields: Fields, segment: string): Fields {
  let found = fields.kids.get(segment);
  if (!found) {
    found = noFields();
    fields.kids.set(segment, found);
  }
  return found;
}

export function fromJson(json: Json | undefined): Fields {
  const fields = noFields();
  for (const [segment, inner] of Object.entries(asObject(json))) {
    if (segment === '.') {
      fields.member = true;
      continue;
    }
    const kid = fromJson(inner);
    if (isObject(inner) && Object.keys(inner).length === 0) kid.member = true;
    fields.kids.set(segment, kid);
  }
  return fields;
}

export function toJson(fields: Fields): JsonObject {
  const json: JsonObject = {};
  const kids = [...fields.kids].filter(([, kid]) => !isEmpty(kid)).sort(([one], [other]) => (one < other ? -1 : 1));
  if (fields.member && kids.length > 0) json['.'] = {};
  for (const [segment, kid] of kids) json[segment] = toJson(kid);
  return json;
}

export function union(one: Fields, other: Fields): Fields {
  const all: Fields = { member: one.member || other.member, kids: new Map(one.kids) };
  for (const [segment, kid] of other.kids) {
    const mine = one.kids.get(segment);
    all.kids.set(segment, mine ? union(mine, kid) : kid);
  }
  return all;
}

/** Members of the one that are not members of the other. */
export function minus(one: Fields, other: Fields): Fields {
  const rest: Fields = { member: one.member && !other.member, kids: new Map() };
  for (const [segment, kid] of one.kids) {
    const theirs = other.kids.get(segment);
    const left = theirs ? minus(kid, theirs) : kid;
    if (!isEmpty(left)) rest.kids.set(segment, left);
  }
  return rest;
}

export function both(one: Fields, other: Fields): Fields {
  const shared: Fields = { member: one.member && other.member, kids: new Map() };
  for (const [segment, kid] of one.kids) {
    const theirs = other.kids.get(segment);
    if (!theirs) continue;
    const common = both(kid, theirs);
    if (!isEmpty(common)) shared.kids.set(segment, common);
  }
  return shared;
}

/** The members as the server prints them in conflicts: `.spec.env[name="a"].value`. */
export function paths(fields: Fields, at = ''): string[] {
  const own = fields.member && at !== '' ? [at] : [];
  return [...own, ...[...fields.kids].flatMap(([segment, kid]) => paths(kid, at + shown(segment)))];
}

function shown(segment: string): string {
  const rest = segment.slice(2);
  if (segment.startsWith('f:')) return `.${rest}`;
  if (segment.startsWith('v:')) return `[=${rest}]`;
  const keys = asObject(JSON.parse(rest));
  return `[${Object.entries(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',')}]`;
}

/** Equal as sets. */
export const sameFields = (one: Fields, other: Fields): boolean => isEmpty(minus(one, other)) && isEmpty(minus(other, one));
