import { expect, test } from 'vitest';
import { z } from 'zod';
import { nothing, required } from './fields.ts';
import { decodeRequest } from './request.ts';

const schema = z.object({
  name: required(),
  displayName: z.string().optional(),
  resources: z.array(z.object({ id: z.string().optional() })),
});
const refused = (payload: unknown) => {
  try {
    decodeRequest(schema, payload);
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
  return 'accepted';
};

test('missing fields are told together, in the order of the schema', () => {
  const both = "Field 'Name' failed validation, Condition: required | Field 'Resources' failed validation, Condition: required";
  expect(refused(undefined)).toBe(both);
  expect(refused(null)).toBe(both);
  expect(refused({ displayName: 'x' })).toBe(both);
  expect(refused({ name: '', resources: null })).toBe(both);
});

test('an empty list is present', () => {
  expect(decodeRequest(schema, { name: 'w', resources: [] })).toEqual({ name: 'w', resources: [] });
});

test('null for a field is the same as absent, unknown fields are ignored', () => {
  expect(decodeRequest(schema, { name: 'w', resources: [], displayName: null, later: 1 })).toEqual({ name: 'w', resources: [] });
});

test('a wrong JSON type is told first and names the place', () => {
  expect(refused('text')).toBe('payload: expected object, received string');
  expect(refused({ name: 'x', resources: 'no' })).toBe('payload.resources: expected array, received string');
  expect(refused({ resources: [{ id: 5 }] })).toBe('payload.resources.0.id: expected string, received number');
});

test('a pattern without request takes nothing, null or any object, but no text', () => {
  expect(decodeRequest(nothing(), undefined)).toEqual({});
  expect(decodeRequest(nothing(), { any: 'thing' })).toEqual({});
  expect(() => decodeRequest(nothing(), [])).toThrow('payload: expected object, received array');
});
