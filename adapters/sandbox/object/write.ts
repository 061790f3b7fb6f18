import { asObject, asText, isObject, type JsonObject, same, without } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { Refusal } from '../model/status.ts';
import type { Fields } from './fields.ts';
import type { Writer } from './managers.ts';
import { afterApply, afterUpdate, type Manager, printManagers, readManagers } from './managers.ts';
import { outlineOf } from './outline.ts';
import { compare } from './ownership.ts';

/** Bytes of an object; the server's store takes no larger ones. */
const objectLimit = 1_572_864;

/** `atMost` is what it can be by what was read: only an object that may be too large is printed to be measured. */
export function refuseLarge(object: JsonObject, atMost: number): void {
  if (atMost > objectLimit / 2 && JSON.stringify(object).length > objectLimit)
    throw new Refusal(500, '', 'etcdserver: request is too large');
}

/** Fields of metadata that only the server sets. */
const serverOwned = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

export function keepIdentity(given: JsonObject, live: JsonObject): JsonObject {
  const kept = Object.fromEntries(serverOwned.filter((field) => live[field] !== undefined).map((field) => [field, live[field]]));
  // Another time of deletion is not dropped in silence: the check refuses it.
  const { deletionTimestamp } = given;
  return { ...kept, ...without(given, ...serverOwned), ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) };
}

/** Main endpoint: status stays as it is. Status endpoint: everything else does. */
export function onlyItsPart(kind: Kind, next: JsonObject, live: JsonObject, subresource: string): JsonObject {
  if (subresource === 'status') {
    if (!kind.custom) return { ...live, metadata: mergeLabels(live, next), status: next.status };
    return { ...live, status: next.status };
  }
  if (!kind.status) return next;
  return live.status === undefined ? without(next, 'status') : { ...next, status: live.status };
}

/** Built-in kinds take labels and annotations through the status endpoint too. */
function mergeLabels(live: JsonObject, next: JsonObject): JsonObject {
  const { labels, annotations } = asObject(next.metadata);
  const kept = without(asObject(live.metadata), 'labels', 'annotations');
  return { ...kept, ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
}

/** The generation rises with what is asked for: not with metadata, not with status. */
export function nextGeneration(kind: Kind, next: JsonObject, live: JsonObject): number | undefined {
  const current = asObject(live.metadata).generation;
  if (typeof current !== 'number') return undefined;
  if (!kind.generation) return current;
  const asked = (object: JsonObject) => {
    const { metadata, apiVersion, kind: name, status, ...rest } = object;
    return kind.status || !kind.custom ? rest : { ...rest, status };
  };
  return same(asked(next), asked(live)) ? current : current + 1;
}

/** `managedFields` of the object after a write that is no apply. A list with one empty entry sent by the client forgets all managers. */
export function managed(kind: Kind, next: JsonObject, live: JsonObject | undefined, writer: Writer): JsonObject[] {
  const sent = asObject(next.metadata).managedFields;
  const forget = Array.isArray(sent) && sent.length === 1 && isObject(sent[0]) && Object.keys(sent[0]).length === 0;
  const known: Manager[] = forget || !live ? [] : readManagers(asObject(live.metadata).managedFields);
  if (forget) return [];
  const { changed, removed } = compare(owned(kind, live ?? {}, writer), owned(kind, next, writer), outlineOf(kind), kind.custom);
  return printManagers(afterUpdate(known, kind, writer, changed, removed));
}

/** What a writer can own here: status belongs to the status endpoint alone, and the finalizers of a namespace to the server. */
function owned(kind: Kind, object: JsonObject, writer: Writer): JsonObject {
  if (writer.subresource === 'status') return { metadata: object.metadata, status: object.status };
  if (kind.kind === 'Namespace' && !kind.custom) return without(object, 'status', 'spec');
  return kind.status ? without(object, 'status') : object;
}

/** Nothing but the bookkeeping differs: version and managers. */
export function sameContent(next: JsonObject, live: JsonObject): boolean {
  const plain = (object: JsonObject) => ({ ...object, metadata: without(asObject(object.metadata), 'resourceVersion', 'managedFields') });
  return same(plain(next), plain(live));
}

/** The same managers own the same fields, whenever they wrote. */
export function sameOwners(next: JsonObject, live: JsonObject): boolean {
  const owners = (object: JsonObject) =>
    readManagers(asObject(object.metadata).managedFields)
      .map((each) => JSON.stringify([each.manager, each.operation, each.subresource, printManagers([{ ...each, time: '' }])]))
      .sort();
  return same(owners(next), owners(live));
}

/** `managedFields` after an apply that named these fields. */
export function managedByApply(kind: Kind, next: JsonObject, live: JsonObject, writer: Writer, named: Fields): JsonObject[] {
  const { changed } = compare(live, next, outlineOf(kind), kind.custom);
  return printManagers(afterApply(readManagers(asObject(live.metadata).managedFields), kind, writer, named, changed));
}

/** `prefix` and five characters that make no word. */
export function generatedName(prefix: string, random: () => number): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  let tail = '';
  for (let at = 0; at < 5; at += 1) tail += alphabet[Math.floor(random() * alphabet.length)] ?? 'b';
  return `${prefix.slice(0, 58)}${tail}`;
}

/** A version 4 uuid from the clock's chance, so that a seeded test sees the same ones. */
export function newUid(random: () => number): string {
  const [a, b, c, d] = [0, 1, 2, 3].map(() =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  );
  const text = `${a}${b}${c}${d}`;
  const variant = '89ab'[Math.floor(random() * 4)];
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`;
}

let printed = { second: Number.NaN, text: '' };
/** Whole seconds, as the server prints them. The last one is kept: printing a date costs more than the rest of many writes. */
export function timestamp(now: number): string {
  const second = Math.floor(now / 1_000);
  if (printed.second !== second) printed = { second, text: `${new Date(second * 1_000).toISOString().slice(0, 19)}Z` };
  return printed.text;
}
export const nameOf = (object: JsonObject): string => asText(asObject(object.metadata).name);
