import type { z } from 'zod';
import type { OperatorError } from '../../domain/errors.ts';
import type { Result } from '../../domain/ports/index.ts';
import { type JsonSchema, nullable, toJsonSchema } from './json-schema.ts';

/** The result union of a success: a plain text travels in `message` with `data: ""`, everything else in `data`. */
export function success(response: z.ZodType, value: unknown, note?: string): Result {
  if (!isText(response)) return { status: 'success', ...(note === undefined ? {} : { message: note }), data: value ?? null };
  return typeof value === 'string' && value !== '' ? { status: 'success', message: value, data: '' } : { status: 'success', data: '' };
}

/** The result union of an error: `data` is the zero value of the response type. */
export function failure(response: z.ZodType, error: Pick<OperatorError, 'message' | 'status'>): Result {
  return { status: 'error', message: error.message, statusCode: error.status, data: zero(toJsonSchema(response)) };
}

const isText = (response: z.ZodType): boolean => toJsonSchema(response).plainText === true;

/** Null for lists, maps and nullable types, else empty scalars and objects whose required fields are empty. */
function zero(given: JsonSchema): unknown {
  const { schema, isNullable } = nullable(given);
  if (isNullable) return null;
  switch (schema.type) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return 0;
    case 'object': {
      const { properties, required = [] } = schema;
      if (properties === undefined) return null;
      return Object.fromEntries(required.map((name) => [name, zero(properties[name] ?? {})]));
    }
    default:
      return null;
  }
}
