import { isObject, type Json, same } from '../model/json.ts';
import { type Cause, invalidValue, requiredValue, unsupportedValue } from '../model/status.ts';
import type { Schema } from './schema.ts';
import { listKeys } from './shape.ts';

const shown = (value: Json): string => JSON.stringify(value);
const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  return typeof value;
};

/** The errors of a value in the sentences of the server, with their fields. */
export function check(value: Json, schema: Schema, path: string): Cause[] {
  if (value === null && schema.nullable) return [];
  const wrong = wrongType(value, schema, path);
  if (wrong) return [wrong];
  return [...inside(value, schema, path), ...limits(value, schema, path), ...choice(value, schema, path), ...combined(value, schema, path)];
}

function wrongType(value: Json, schema: Schema, path: string): Cause | undefined {
  const is = typeOf(value);
  const wanted = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type === undefined ? [] : [schema.type];
  if (wanted.length === 0) return undefined;
  const fits =
    wanted.includes(is) ||
    (is === 'integer' && wanted.includes('number')) ||
    (is === 'number' && wanted.includes('integer') && integral(value));
  if (fits) return wrongFormat(value, schema, path);
  return mistyped(path, wanted.join(','), is);
}

/** Numbers past 2^53 lose digits here; the server still takes them up to 2^63. */
const integral = (value: Json): boolean => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63;

const mistyped = (path: string, wanted: string, is: string): Cause => ({
  reason: 'FieldValueTypeInvalid',
  message: `Invalid value: ${shown(is)}: ${path} in body must be of type ${wanted}: ${shown(is)}`,
  field: path,
});

const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
function wrongFormat(value: Json, schema: Schema, path: string): Cause | undefined {
  if (typeof value !== 'string' || schema.format !== 'date-time' || (dateTime.test(value) && !Number.isNaN(Date.parse(value))))
    return undefined;
  return mistyped(path, 'date-time', value);
}

function inside(value: Json, schema: Schema, path: string): Cause[] {
  if (Array.isArray(value)) return items(value, schema, path);
  if (!isObject(value)) return [];
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  const missing = (schema.required ?? []).filter((key) => value[key] === undefined).map((key) => requiredValue(at(key)));
  const own = Object.entries(value).flatMap(([key, each]) => {
    const rule = schema.properties?.[key] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    return rule && each !== undefined ? check(each, rule, at(key)) : [];
  });
  return [...own, ...missing];
}

function items(value: Json[], schema: Schema, path: string): Cause[] {
  const { items: each } = schema;
  const inner = each ? value.flatMap((item, at) => check(item, each, `${path}[${at}]`)) : [];
  return inner.length > 0 ? inner : twins(value, schema, path);
}

/** Items that a list of type set or map may hold once only. */
function twins(value: Json[], schema: Schema, path: string): Cause[] {
  const keys = listKeys(schema);
  if (keys === undefined) return [];
  const seen = new Set<string>();
  return value.flatMap((item, at) => {
    const id = shown(keys === 'set' ? item : Object.fromEntries(keys.map((key) => [key, isObject(item) ? (item[key] ?? null) : null])));
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ reason: 'FieldValueDuplicate', message: `Duplicate value: ${id}`, field: `${path}[${at}]` }];
  });
}

function limits(value: Json, schema: Schema, path: string): Cause[] {
  const found: Cause[] = [];
  const say = (broken: boolean, why: string, what: Json = value) => {
    if (broken) found.push(invalidValue(path, shown(what), `${path} in body ${why}`));
  };
  const is = <T>(limit: T | undefined, broken: (limit: T) => boolean): limit is T => limit !== undefined && broken(limit);
  if (typeof value === 'number') {
    const { minimum, maximum, multipleOf } = schema;
    if (schema.exclusiveMaximum)
      say(
        is(maximum, (max) => value >= max),
        `should be less than ${maximum}`,
      );
    else
      say(
        is(maximum, (max) => value > max),
        `should be less than or equal to ${maximum}`,
      );
    if (schema.exclusiveMinimum)
      say(
        is(minimum, (min) => value <= min),
        `should be greater than ${minimum}`,
      );
    else
      say(
        is(minimum, (min) => value < min),
        `should be greater than or equal to ${minimum}`,
      );
    say(
      is(multipleOf, (unit) => !Number.isInteger(value / unit)),
      `should be a multiple of ${multipleOf}`,
    );
  }
  if (typeof value === 'string') {
    const length = [...value].length;
    const { minLength, maxLength, pattern } = schema;
    if (is(maxLength, (max) => length > max)) {
      found.push({ reason: 'FieldValueTooLong', message: `Too long: may not be more than ${maxLength} bytes`, field: path });
    }
    say(
      is(minLength, (min) => length < min),
      `should be at least ${minLength} chars long`,
    );
    say(
      is(pattern, (text) => !compiled(text).test(value)),
      `should match '${pattern}'`,
    );
  }
  if (Array.isArray(value)) {
    const { minItems, maxItems } = schema;
    say(
      is(minItems, (min) => value.length < min),
      `should have at least ${minItems} items`,
      value.length,
    );
    if (is(maxItems, (max) => value.length > max)) {
      found.push({ reason: 'FieldValueTooMany', message: `Too many: ${value.length}: must have at most ${maxItems} items`, field: path });
    }
  }
  if (isObject(value)) {
    const count = Object.keys(value).length;
    const { minProperties, maxProperties } = schema;
    say(
      is(minProperties, (min) => count < min),
      `should have at least ${minProperties} properties`,
      count,
    );
    if (is(maxProperties, (max) => count > max)) {
      found.push({ reason: 'FieldValueTooMany', message: `Too many: ${count}: must have at most ${maxProperties} items`, field: path });
    }
  }
  return found;
}

const byText = new Map<string, RegExp>();
function compiled(text: string): RegExp {
  let found = byText.get(text);
  if (!found) {
    // Bounded: patterns come from definitions, and a test may install thousands.
    if (byText.size > 1_000) byText.clear();
    found = new RegExp(text, 'u');
    byText.set(text, found);
  }
  return found;
}

function choice(value: Json, schema: Schema, path: string): Cause[] {
  if (!schema.enum || schema.enum.some((each) => same(each, value))) return [];
  return [
    unsupportedValue(
      path,
      shown(value),
      schema.enum.map((each) => (typeof each === 'string' ? each : shown(each))),
    ),
  ];
}

function combined(value: Json, schema: Schema, path: string): Cause[] {
  const fits = (each: Schema) => check(value, each, path).length === 0;
  const found = (schema.allOf ?? []).flatMap((each) => check(value, each, path));
  const say = (why: string) => found.push(invalidValue(path === '' ? '<nil>' : path, '""', `"${path}" must ${why}`));
  if (schema.anyOf && !schema.anyOf.some(fits)) say('validate at least one schema (anyOf)');
  if (schema.oneOf && schema.oneOf.filter(fits).length !== 1) say('validate one and only one schema (oneOf)');
  if (schema.not && fits(schema.not)) say('not validate the schema (not)');
  return found;
}
