import { expect, test } from 'vitest';
import { ClusterRefused } from '../../domain/errors.ts';
import { refusal } from './refusal.ts';

const answer = (status: number, text: string) => ({ status, text, contentType: 'application/json' });
const status = (code: number, reason: string, message: string) => JSON.stringify({ kind: 'Status', reason, message, code });

test.each([
  [404, 'NotFound', 404, 'answer'],
  [409, 'AlreadyExists', 409, 'answer'],
  [401, 'Unauthorized', 403, 'answer'],
  [403, 'Forbidden', 403, 'answer'],
  [422, 'Invalid', 400, 'answer'],
  [415, 'UnsupportedMediaType', 400, 'answer'],
  [500, 'ServerTimeout', 504, 'retry'],
  [429, 'TooManyRequests', 429, 'retry'],
  [503, 'ServiceUnavailable', 503, 'retry'],
  [410, 'Expired', 410, 'answer'],
])('%i %s answers %i and is a case of %s', (code, reason, mapped, handling) => {
  const error = refusal(answer(code, status(code, reason, 'the sentence')));
  expect(error).toMatchObject({ status: mapped, handling, message: 'the sentence', data: { status: code, reason } });
  expect(ClusterRefused.is(error)).toBe(true);
});

test('what is no Status is told in part', () => {
  expect(refusal(answer(502, `<html>${'x'.repeat(5_000)}`)).message).toHaveLength('the Kubernetes API answered 502: '.length + 1_000);
  expect(refusal(answer(500, '')).message).toBe('the Kubernetes API answered 500: without a word');
  expect(refusal(answer(500, '{"kind":"Other"}')).data).toMatchObject({ status: 500, reason: 'Unknown' });
});
