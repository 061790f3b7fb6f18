import { expect, test } from 'vitest';
import { lineCutter } from './lines.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

test('lines come whole, however the bytes were cut', () => {
  const cut = lineCutter();
  expect(cut(bytes('{"a":1}\n{"b"'))).toEqual(['{"a":1}']);
  expect(cut(bytes(':2}'))).toEqual([]);
  expect(cut(bytes('\n\n{"c":3}\n'))).toEqual(['{"b":2}', '{"c":3}']);
});

test('a character cut in two is one character again', () => {
  const cut = lineCutter();
  const whole = bytes('"ä"\n');
  expect(cut(whole.subarray(0, 2))).toEqual([]);
  expect(cut(whole.subarray(2))).toEqual(['"ä"']);
});

test('a line without an end is refused at its bound instead of filling the memory', () => {
  const cut = lineCutter();
  const part = Buffer.alloc(9 * 1024 * 1024, 'x');
  expect(cut(part)).toEqual([]);
  expect(() => cut(part)).toThrow('longer than 16777216 bytes');
});
