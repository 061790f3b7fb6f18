import { copy, isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { Refusal } from '../model/status.ts';
import { type Fields, minus, noFields, union } from '../object/fields.ts';
import { type Dispute, disputes, type Manager, type Writer } from '../object/managers.ts';
import { type Outline, outlineOf, segmentOf } from '../object/outline.ts';
import { compare, fieldsOf, itemsOf, ownable } from '../object/ownership.ts';

export interface Applied {
  readonly object: JsonObject;
  /** Fields the configuration names: what the applier owns from now on. */
  readonly named: Fields;
}

/** Server-side apply: merges the configuration, refuses what others own (unless forced), removes what its manager no longer names. */
export function apply(
  live: JsonObject,
  config: JsonObject,
  how: { kind: Kind; managers: readonly Manager[]; writer: Writer; force: boolean },
): Applied {
  const { kind, managers, writer } = how;
  const outline = outlineOf(kind);
  const named = fieldsOf(ownable(config), outline);
  const merged = merge(live, config, outline);
  const object = isObject(merged) ? merged : {};
  if (!how.force) {
    const found = disputes(managers, kind, writer, compare(live, object, outline, kind.custom).changed);
    if (found.length > 0) throw disputed(found);
  }
  const mine = managers.find(
    (each) => each.manager === writer.manager && each.operation === 'Apply' && each.subresource === writer.subresource,
  );
  if (mine) {
    const others = managers.filter((each) => each !== mine).reduce((all, each) => union(all, each.fields), noFields());
    remove(object, minus(minus(mine.fields, named), others), outline);
  }
  return { object, named };
}

function disputed(found: readonly Dispute[]): Refusal {
  // Of an applier the server names no version: it may have applied in any.
  const text = ({ manager }: Dispute) => `"${manager.manager}"${manager.operation === 'Apply' ? '' : ` using ${manager.apiVersion}`}`;
  const count = found.reduce((sum, each) => sum + each.fields.length, 0);
  const [first] = found;
  const message =
    count === 1 && first
      ? `Apply failed with 1 conflict: conflict with ${text(first)}: ${first.fields[0]}`
      : `Apply failed with ${count} conflicts: ${found.map((each) => `conflicts with ${text(each)}:\n${each.fields.map((field) => `- ${field}`).join('\n')}`).join('\n')}`;
  const causes = found.flatMap((each) =>
    each.fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${text(each)}`, field })),
  );
  return new Refusal(409, 'Conflict', message, { causes });
}

function merge(live: Json | undefined, config: Json, outline: Outline): Json {
  if (outline.atomic) return config;
  if (isObject(config)) {
    const result: JsonObject = isObject(live) ? { ...live } : {};
    for (const [key, value] of Object.entries(config)) {
      if (value !== undefined) result[key] = merge(result[key], value, outline.at(key));
    }
    return result;
  }
  if (Array.isArray(config) && outline.keys !== undefined) return mergeItems(live, config, outline, outline.keys);
  return copy(config);
}

function mergeItems(live: Json | undefined, config: Json[], outline: Outline, keys: 'set' | readonly string[]): Json[] {
  const merged = itemsOf(live, keys);
  for (const item of config) {
    const segment = segmentOf(item, keys);
    if (segment !== undefined) merged.set(segment, merge(merged.get(segment), item, outline.item()));
  }
  return [...merged.values()];
}

/** Takes fields away; a container that is empty then goes too. Works on `object`, but never on what it shares with others. */
function remove(object: JsonObject, gone: Fields, outline: Outline): void {
  for (const [segment, fields] of gone.kids) {
    const key = segment.slice(2);
    const value = object[key];
    if (value === undefined) continue;
    const left = removed(value, fields, outline.at(key));
    if (left === undefined) delete object[key];
    else object[key] = left;
  }
}

function removed(value: Json, gone: Fields, outline: Outline): Json | undefined {
  if (gone.kids.size === 0) return gone.member ? undefined : value;
  if (Array.isArray(value) && outline.keys !== undefined) {
    const { keys } = outline;
    const left = value.flatMap((item) => {
      const fields = gone.kids.get(segmentOf(item, keys) ?? '');
      const kept = fields ? (fields.member ? undefined : removed(item, fields, outline.item())) : item;
      return kept === undefined ? [] : [kept];
    });
    return left.length === 0 ? undefined : left;
  }
  if (!isObject(value)) return gone.member ? undefined : value;
  const rest = { ...value };
  remove(rest, gone, outline);
  return Object.keys(rest).length === 0 ? undefined : rest;
}
