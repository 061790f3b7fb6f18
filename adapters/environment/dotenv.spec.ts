import { expect, it } from 'vitest';
import { parseDotenv } from './dotenv.ts';

it.each([
  ['A=1', { A: '1' }],
  ['export A = 1 # why', { A: '1' }],
  ['A=a#b', { A: 'a#b' }],
  ['A=', { A: '' }],
  ['A=#nothing', { A: '' }],
  ['A=\'$HOME # "x"\'', { A: '$HOME # "x"' }],
  ['A="two\\nlines \\"quoted\\" c:\\\\d" # why', { A: 'two\nlines "quoted" c:\\d' }],
  ['A="first\nsecond"\nB=2', { A: 'first\nsecond', B: '2' }],
  ["A='first\r\nsecond'", { A: 'first\nsecond' }],
  ['\uFEFF# comment\n\n   \nA=x=y', { A: 'x=y' }],
  ['A=pa$$w0rd', { A: 'pa$$w0rd' }],
  ['A=1\nA=2', { A: '2' }],
])('reads %j', (text, expected) => {
  expect(parseDotenv(text)).toEqual(expected);
});

it.each([
  ['A=1\nnonsense', 'line 2: it is not of the form KEY=value'],
  ['A="open\nB=2', 'line 1: the quote " is never closed'],
  ["A='x' y", 'line 1: something stands behind the closing quote'],
  ['=x', 'line 1: it is not of the form KEY=value'],
])('refuses %j and names the line, not the text', (text, message) => {
  expect(() => parseDotenv(text)).toThrow(message);
});
