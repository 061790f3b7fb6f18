import { Environment } from '@marcbachmann/cel-js';
import { isObject, type Json } from '../model/json.ts';
import { type Cause, invalidValue } from '../model/status.ts';
import type { Rule, Schema } from './schema.ts';

const environment = new Environment({ unlistedVariablesAreDyn: false, enableOptionalTypes: true })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn');

type Program = (context: Record<string, unknown>) => unknown;
const programs = new Map<string, Program>();

/** Throws when the rule can't be compiled; so a definition with such a rule is refused when it is made, not when it is first used. */
export function compile(text: string): Program {
  let found = programs.get(text);
  if (!found) {
    if (programs.size > 1_000) programs.clear();
    found = environment.parse(text);
    programs.set(text, found);
  }
  return found;
}

/** Integers as CEL knows them. */
function value(json: Json | undefined, schema: Schema | undefined): unknown {
  if (typeof json === 'number') return schema?.type === 'number' ? json : Number.isInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return json.map((each) => value(each, schema?.items));
  if (!isObject(json)) return json;
  const inner = (key: string) =>
    schema?.properties?.[key] ?? (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined);
  return Object.fromEntries(Object.entries(json).map(([key, each]) => [key, value(each, inner(key))]));
}

/** The `x-kubernetes-validations` of a value and all below it. `old` is the stored value: rules about it run on updates only. */
export function checkRules(json: Json, old: Json | undefined, schema: Schema, path: string): Cause[] {
  const own = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) => broken(rule, json, old, schema, path));
  if (Array.isArray(json)) {
    const { items } = schema;
    return items ? [...own, ...json.flatMap((each, at) => checkRules(each, undefined, items, `${path}[${at}]`))] : own;
  }
  if (!isObject(json)) return own;
  const before = isObject(old) ? old : {};
  return [
    ...own,
    ...Object.entries(json).flatMap(([key, each]) => {
      const inner = schema.properties?.[key] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
      return inner && each !== undefined ? checkRules(each, before[key], inner, path === '' ? key : `${path}.${key}`) : [];
    }),
  ];
}

function broken(rule: Rule, json: Json, old: Json | undefined, schema: Schema, path: string): Cause[] {
  if (/\boldSelf\b/.test(rule.rule) && old === undefined) return [];
  const say = (why: string) => [
    {
      ...invalidValue(`${path}${rule.fieldPath ?? ''}`, JSON.stringify(schema.type ?? 'object'), why),
      ...(rule.reason ? { reason: rule.reason } : {}),
    },
  ];
  const context = { self: value(json, schema), oldSelf: value(old ?? null, schema) };
  try {
    if (compile(rule.rule)(context) === true) return [];
    const spoken = rule.messageExpression === undefined ? undefined : compile(rule.messageExpression)(context);
    return say(typeof spoken === 'string' ? spoken : (rule.message ?? `failed rule: ${rule.rule}`));
  } catch (error) {
    return say(`rule: ${rule.rule}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
