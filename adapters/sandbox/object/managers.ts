import { asText, isObject, type Json, type JsonObject } from '../model/json.ts';
import { apiVersionOf, type Kind } from '../model/kind.ts';
import { both, type Fields, fromJson, isEmpty, minus, noFields, paths, sameFields, toJson, union } from './fields.ts';

/** Who owns which fields: an entry of `managedFields`. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly subresource: string;
  readonly fields: Fields;
}

export function readManagers(list: Json | undefined): Manager[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((entry) => ({
    manager: asText(entry.manager),
    operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
    apiVersion: asText(entry.apiVersion),
    time: asText(entry.time),
    subresource: asText(entry.subresource),
    fields: fromJson(entry.fieldsV1),
  }));
}

/** Appliers first, then by time, as the server sorts them. */
export function printManagers(managers: readonly Manager[]): JsonObject[] {
  return managers
    .filter((each) => !isEmpty(each.fields))
    .sort(
      (one, other) =>
        order(one.operation, other.operation) ||
        order(one.time, other.time) ||
        order(one.manager, other.manager) ||
        order(one.subresource, other.subresource),
    )
    .map((each) => ({
      manager: each.manager,
      operation: each.operation,
      apiVersion: each.apiVersion,
      ...(each.time === '' ? {} : { time: each.time }),
      fieldsType: 'FieldsV1',
      fieldsV1: toJson(each.fields),
      ...(each.subresource === '' ? {} : { subresource: each.subresource }),
    }));
}

const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource: string;
  readonly time: string;
}

const isOf = (each: Manager, writer: Writer, apiVersion: string): boolean =>
  each.manager === writer.manager &&
  each.operation === writer.operation &&
  each.subresource === writer.subresource &&
  each.apiVersion === apiVersion;

/** Managers after a write that is no apply: the writer owns what it changed, everybody loses what is gone. */
export function afterUpdate(managers: readonly Manager[], kind: Kind, writer: Writer, changed: Fields, removed: Fields): Manager[] {
  const apiVersion = apiVersionOf(kind);
  const mine = managers.find((each) => isOf(each, writer, apiVersion));
  const others = managers.filter((each) => each !== mine).map((each) => ({ ...each, fields: minus(minus(each.fields, changed), removed) }));
  const fields = union(minus(mine?.fields ?? noFields(), removed), changed);
  const time = mine && sameFields(mine.fields, fields) ? mine.time : writer.time;
  return [...others, { ...writer, apiVersion, fields, time }];
}

export interface Dispute {
  readonly manager: Manager;
  readonly fields: readonly string[];
}

/** Fields of others that an apply would change. */
export function disputes(managers: readonly Manager[], kind: Kind, writer: Writer, changed: Fields): Dispute[] {
  const apiVersion = apiVersionOf(kind);
  return managers
    .filter((each) => !isOf(each, writer, apiVersion))
    .map((manager) => ({ manager, fields: paths(both(manager.fields, changed)) }))
    .filter(({ fields }) => fields.length > 0)
    .sort((one, other) => order(one.manager.manager, other.manager.manager));
}

/** Managers after an apply: the applier owns exactly what it named; with force, others lose what was changed. */
export function afterApply(managers: readonly Manager[], kind: Kind, writer: Writer, named: Fields, changed: Fields): Manager[] {
  const apiVersion = apiVersionOf(kind);
  const mine = managers.find((each) => isOf(each, writer, apiVersion));
  const others = managers.filter((each) => each !== mine).map((each) => ({ ...each, fields: minus(each.fields, changed) }));
  const time = mine && sameFields(mine.fields, named) ? mine.time : writer.time;
  return [...others, { ...writer, apiVersion, fields: named, time }];
}
