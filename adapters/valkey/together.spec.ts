import { expect, test } from 'vitest';
import { StoreFull, StoreUnavailable } from '../../domain/errors.ts';
import { createTogether } from './together.ts';
import type { Argument } from './wire.ts';

function recording(reply: (args: readonly Argument[]) => unknown) {
  const together: (readonly Argument[])[] = [];
  const alone: (readonly Argument[])[] = [];
  const call = createTogether(
    async (args) => {
      together.push(args);
      return reply(args);
    },
    async (name, args) => {
      alone.push([name, ...args]);
      return 'alone';
    },
  );
  return { call, together, alone };
}

test('a call that comes alone is sent alone', async () => {
  const { call, together, alone } = recording(() => []);
  expect(await call('append', ['a', 1])).toBe('alone');
  expect([together, alone]).toEqual([[], [['append', 'a', 1]]]);
});

test('calls of one tick are sent as one, in order, and get each their own answer', async () => {
  const { call, together } = recording(() => ['one', ['two'], null]);
  const answers = await Promise.all([call('append', ['a']), call('accept', []), call('append', ['b', 'c'])]);
  expect(answers).toEqual(['one', ['two'], null]);
  expect(together).toEqual([['append', 1, 'a', 'accept', 0, 'append', 2, 'b', 'c']]);
});

test('the error of one is nobody else’s', async () => {
  const { call } = recording(() => ['one', new Error('ERR broken'), 'three']);
  const [first, second, third] = await Promise.allSettled([call('a', []), call('b', []), call('c', [])]);
  expect([first, third]).toEqual([
    { status: 'fulfilled', value: 'one' },
    { status: 'fulfilled', value: 'three' },
  ]);
  expect(second?.status === 'rejected' && StoreUnavailable.is(second.reason)).toBe(true);
});

test('when all are refused all hear it', async () => {
  const { call } = recording(() => {
    throw StoreFull({});
  });
  const settled = await Promise.allSettled([call('a', []), call('b', [])]);
  expect(settled.map((one) => one.status === 'rejected' && StoreFull.is(one.reason))).toEqual([true, true]);
});

test('an answer of another shape is no answer', async () => {
  const { call } = recording(() => 'OK');
  const settled = await Promise.allSettled([call('a', []), call('b', [])]);
  expect(settled.map((one) => one.status === 'rejected' && StoreUnavailable.is(one.reason))).toEqual([true, true]);
});

test('too many or too large to go at once go in several', async () => {
  const { call, together } = recording((args) => args.filter((one) => one === 'a' || one === 'large'));
  await Promise.all(Array.from({ length: 130 }, () => call('a', [])));
  expect(together.map((args) => args.length / 2)).toEqual([32, 32, 32, 32, 2]);
  await Promise.all(Array.from({ length: 4 }, () => call('large', ['x'.repeat(130_000)])));
  expect(together.slice(5).map((args) => args.length / 3)).toEqual([2, 2]);
});
