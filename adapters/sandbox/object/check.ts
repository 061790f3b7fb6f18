import { asObject, asText, type JsonObject, texts } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { type Cause, forbiddenValue, invalid, invalidValue } from '../model/status.ts';
import { check } from '../schema/check.ts';
import { checkRules } from '../schema/rules.ts';
import { hasRules } from '../schema/shape.ts';
import { wrongBuiltIn } from './built-in.ts';
import { wrongMetadata } from './metadata.ts';
import { wrongName } from './names.ts';

/** Errors after which the rules of a schema are not tried. */
const blocking = new Set([
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
]);

/** Refuses an object that breaks a rule of its kind: 422 with a cause for each. `before` is the stored object of an update. */
export function refuseInvalid(kind: Kind, object: JsonObject, before?: JsonObject): void {
  const metadata = asObject(object.metadata);
  const name = asText(metadata.name);
  const found: Cause[] = [
    ...(before ? wrongChange(metadata, asObject(before.metadata)) : wrongName(kind, name)),
    ...wrongMetadata(metadata, kind.custom),
    ...(kind.schema ? bySchema(kind.schema, object, before) : wrongBuiltIn(kind, object, before)),
  ];
  if (found.length > 0) throw invalid(kind, name, found);
}

function bySchema(schema: NonNullable<Kind['schema']>, object: JsonObject, before: JsonObject | undefined): Cause[] {
  const found = check(object, schema, '');
  if (!hasRules(schema)) return found;
  if (found.some((cause) => blocking.has(cause.reason))) {
    const why = 'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
    return [...found, invalidValue('<nil>', 'null', why)];
  }
  return [...found, ...checkRules(object, before, schema, '')];
}

function newFinalizers(metadata: JsonObject, before: JsonObject): Cause[] {
  if (before.deletionTimestamp === undefined) return [];
  const added = texts(metadata.finalizers).filter((each) => !texts(before.finalizers).includes(each));
  if (added.length === 0) return [];
  const list = `[]string{${added.map((each) => JSON.stringify(each)).join(', ')}}`;
  return [
    forbiddenValue('metadata.finalizers', `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`),
  ];
}

/** What an update may not do to metadata. */
function wrongChange(metadata: JsonObject, before: JsonObject): Cause[] {
  const { deletionTimestamp } = metadata;
  const moved = deletionTimestamp !== undefined && deletionTimestamp !== before.deletionTimestamp;
  const fixed = moved ? [invalidValue('metadata.deletionTimestamp', JSON.stringify(deletionTimestamp), 'field is immutable')] : [];
  return [...fixed, ...newFinalizers(metadata, before)];
}
