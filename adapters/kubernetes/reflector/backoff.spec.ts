import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

test('doubles from 1 s to 2 min, after 20 attempts every 5 min', () => {
  const pauses = backoff(() => 1);
  const given = Array.from({ length: 22 }, () => pauses.next());
  expect(given.slice(0, 9)).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 64000, 120000, 120000]);
  expect(given.slice(19)).toEqual([120000, 300000, 300000]);
});

test('is never shorter than half and starts small again after it went well', () => {
  const pauses = backoff(() => 0);
  expect([pauses.next(), pauses.next(), pauses.failures]).toEqual([500, 1000, 2]);
  pauses.reset();
  expect([pauses.next(), pauses.failures]).toEqual([500, 1]);
});
