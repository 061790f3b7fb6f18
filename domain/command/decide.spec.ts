import { expect, test } from 'vitest';
import { ClusterUnavailable, RequestInvalid } from '../errors.ts';
import { decideAfterFailure, decideAttempt } from './decide.ts';

const facts = { attempt: 1, now: 1_000, deadline: 31_000, maxAttempts: 5, grace: 10_000 };

test('a first attempt has the time until the deadline', () => {
  expect(decideAttempt(facts)).toEqual({ do: 'run', within: 30_000 });
});

test('a command nobody began in time is not begun any more', () => {
  expect(decideAttempt({ ...facts, now: 31_000 })).toEqual({ do: 'expire' });
});

test('a command that was begun is looked after even past its deadline: its effect may have happened', () => {
  expect(decideAttempt({ ...facts, attempt: 2, now: 60_000 })).toEqual({ do: 'run', within: 10_000 });
});

test('a command that took its process down five times is parked', () => {
  expect(decideAttempt({ ...facts, attempt: 6 })).toEqual({ do: 'park', reason: 'it was begun 5 times and never finished' });
});

test('what passes is tried again with a growing delay, while there is time', () => {
  const failure = { error: ClusterUnavailable({ reason: 'refused' }), pattern: 'create/workspace', left: 30_000, random: 0.5 };
  expect([1, 2, 3, 10].map((tries) => decideAfterFailure({ ...failure, tries }))).toEqual([
    { do: 'retry', delay: 50 },
    { do: 'retry', delay: 100 },
    { do: 'retry', delay: 200 },
    { do: 'retry', delay: 2_000 },
  ]);
  expect(decideAfterFailure({ ...failure, tries: 1, left: 40 })).toEqual({ do: 'fail', error: failure.error });
});

test("what is the caller's to mend is the outcome at once", () => {
  const error = RequestInvalid({ text: 'no' });
  expect(decideAfterFailure({ error, pattern: 'p', tries: 1, left: 30_000, random: 0 })).toEqual({ do: 'fail', error });
});
