import { expect, test } from 'vitest';
import { comparePositions, parsePosition, timeOf } from './event.ts';

test('positions are ordered by number, not as text', () => {
  expect(comparePositions('9-0', '10-0')).toBeLessThan(0);
  expect(comparePositions('10-9', '10-10')).toBeLessThan(0);
  expect(comparePositions('10-10', '10-10')).toBe(0);
});

test('a text that is no position is refused', () => {
  expect(parsePosition('1719-2')).toBe('1719-2');
  for (const text of ['', '5', '-1-2', '1-', '1-2-3', 'a-b', '$', '1e3-0']) expect(parsePosition(text)).toBeUndefined();
});

test('the time of a position is its first half', () => {
  expect(timeOf('1719000000000-7')).toBe(1719000000000);
});
