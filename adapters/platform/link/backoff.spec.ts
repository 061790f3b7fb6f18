import { expect, it } from 'vitest';
import { backoff, spread } from './backoff.ts';

it('doubles from 500 ms to 30 s', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 1000].map((failures) => backoff(failures, () => 0.5))).toEqual([
    500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000,
  ]);
});

it('varies by 20 % to both sides', () => {
  expect([0, 1].map((random) => Math.round(backoff(1, () => random)))).toEqual([400, 600]);
  expect([0, 1].map((random) => Math.round(backoff(20, () => random)))).toEqual([24000, 36000]);
});

it('comes back anywhere in half a second after a loss', () => {
  expect([0, 0.5, 0.999].map((random) => spread(() => random))).toEqual([0, 250, 499.5]);
});
