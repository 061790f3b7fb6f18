import { expect, test } from 'vitest';
import { z } from 'zod';
import { RequestInvalid } from '../../domain/errors.ts';
import { text } from './fields.ts';
import { failure, success } from './result.ts';

const error = RequestInvalid({ text: 'no' });
const page = z.object({
  status: z.string(),
  data: z.object({ data: z.array(z.string()).nullable(), totalCount: z.int() }),
  note: z.string().optional(),
});

test('a plain text travels in message, and data is the empty text', () => {
  expect(success(text('Done'), 'Done')).toEqual({ status: 'success', message: 'Done', data: '' });
  expect(success(text('Done'), '')).toEqual({ status: 'success', data: '' });
});

test('anything else travels in data, without a message', () => {
  expect(success(z.array(z.string()), ['a'])).toEqual({ status: 'success', data: ['a'] });
  expect(success(z.string().nullable(), 'x')).toEqual({ status: 'success', data: 'x' });
  expect(success(z.null(), undefined)).toEqual({ status: 'success', data: null });
});

test('an error carries the zero value of the response type', () => {
  const zeroOf = (schema: z.ZodType) => Reflect.get(failure(schema, error), 'data');
  expect(zeroOf(text('Done'))).toBe('');
  expect(zeroOf(z.array(z.string()))).toBe(null);
  expect(zeroOf(z.object({ name: z.string() }).nullable())).toBe(null);
  expect(zeroOf(z.record(z.string(), z.number()))).toBe(null);
  expect(zeroOf(z.boolean())).toBe(false);
  expect(zeroOf(page)).toEqual({ status: '', data: { data: null, totalCount: 0 } });
});

test('an error has status, message, statusCode and data, in this order', () => {
  expect(JSON.stringify(failure(z.int(), error))).toBe('{"status":"error","message":"no","statusCode":400,"data":0}');
});
