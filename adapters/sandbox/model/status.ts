import type { JsonObject } from './json.ts';

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

interface Subject {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** A refusal in the server's own words: it goes out as a `Status` object of the API. Not an error of ours. */
export class Refusal extends Error {
  readonly code: number;
  readonly status: JsonObject;

  constructor(code: number, reason: string, message: string, details?: Subject, more?: JsonObject) {
    super(message);
    this.code = code;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: more ?? {},
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details: JSON.parse(JSON.stringify(details)) }),
      code,
    };
  }
}

/** What a sentence of the server says about a kind: `things.example.com`, or the plural alone in the core group. */
export interface Named {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

const qualified = (group: string, name: string): string => (group === '' ? name : `${name}.${group}`);
const about = (kind: Named, name: string): Subject => ({ name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural });

export const badRequest = (message: string): Refusal => new Refusal(400, 'BadRequest', message);

export const notFound = (kind: Named, name: string): Refusal =>
  new Refusal(404, 'NotFound', `${qualified(kind.group, kind.plural)} "${name}" not found`, about(kind, name));

export const alreadyExists = (kind: Named, name: string): Refusal =>
  new Refusal(409, 'AlreadyExists', `${qualified(kind.group, kind.plural)} "${name}" already exists`, about(kind, name));

export const conflict = (kind: Named, name: string, why: string): Refusal =>
  new Refusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(kind.group, kind.plural)} "${name}": ${why}`,
    about(kind, name),
  );

export const outdated = (kind: Named, name: string): Refusal =>
  conflict(kind, name, 'the object has been modified; please apply your changes to the latest version and try again');

export const forbidden = (kind: Named, name: string, why: string, causes?: readonly Cause[]): Refusal =>
  new Refusal(403, 'Forbidden', `${qualified(kind.group, kind.plural)} "${name}" is forbidden: ${why}`, {
    ...about(kind, name),
    ...(causes === undefined ? {} : { causes }),
  });

/** 422: one cause per field; several are put in brackets, as the server does. */
export function invalid(kind: { readonly group: string; readonly kind: string }, name: string, causes: readonly Cause[]): Refusal {
  const sentences = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const text = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  return new Refusal(422, 'Invalid', `${qualified(kind.group, kind.kind)} "${name}" is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.kind,
    causes,
  });
}

export const invalidValue = (field: string, value: string, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${value}: ${why}`,
  field,
});
export const requiredValue = (field: string, why = ''): Cause => ({
  reason: 'FieldValueRequired',
  message: why === '' ? 'Required value' : `Required value: ${why}`,
  field,
});
export const forbiddenValue = (field: string, why: string): Cause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field,
});
export const unsupportedValue = (field: string, value: string, supported: readonly string[]): Cause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${value}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
  field,
});

export const unknownResource = (): Refusal => new Refusal(404, 'NotFound', 'the server could not find the requested resource', {});
export const methodNotAllowed = (): Refusal =>
  new Refusal(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
export const unauthorized = (): Refusal => new Refusal(401, 'Unauthorized', 'Unauthorized');
export const tooLarge = (): Refusal => new Refusal(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728');
export const tooOld = (asked: number, oldest: number): Refusal =>
  new Refusal(410, 'Expired', `too old resource version: ${asked} (${oldest})`);
export const tooNew = (asked: number, current: number): Refusal =>
  new Refusal(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
    retryAfterSeconds: 1,
  });
