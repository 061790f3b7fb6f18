import { expect, test } from 'vitest';
import { mergeConditions } from './conditions.ts';
import { done, type StepResult, wrong } from './step.ts';

const found = (result: StepResult) => new Map([['Valid', result]]);
const at = { generation: 2, now: '2026-02-02T00:00:00Z' };
const before = {
  type: 'Valid',
  status: 'True' as const,
  reason: 'Found',
  message: 'is there',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 2,
};

test('nothing is written when nothing changed', () => {
  expect(mergeConditions([before], found(done('Found', 'is there')), at)).toBeUndefined();
});

test('the transition time moves with the status only', () => {
  expect(mergeConditions([before], found(done('Found', 'is still there')), at)?.[0]?.lastTransitionTime).toBe('2026-01-01T00:00:00Z');
  expect(mergeConditions([before], found(wrong('Gone', 'is not there')), at)?.[0]).toEqual({
    type: 'Valid',
    status: 'False',
    reason: 'Gone',
    message: 'is not there',
    lastTransitionTime: '2026-02-02T00:00:00Z',
    observedGeneration: 2,
  });
});

test('a condition of somebody else is kept', () => {
  const other = { ...before, type: 'Other' };
  expect(mergeConditions([other], found(done('Found', 'x')), at)?.map(({ type }) => type)).toEqual(['Other', 'Valid']);
});
