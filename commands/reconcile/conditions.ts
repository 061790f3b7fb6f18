import { z } from 'zod';
import type { StepResult } from './step.ts';

const condition = z.looseObject({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.number().optional(),
});
export type Condition = z.infer<typeof condition>;

const withConditions = z.looseObject({ conditions: z.array(condition).optional() });

/** The conditions an object carries; none when its status has another form. */
export const conditionsOf = (status: unknown): readonly Condition[] => withConditions.safeParse(status ?? {}).data?.conditions ?? [];

const statusOf: Readonly<Record<string, Condition['status']>> = {
  done: 'True',
  wrong: 'False',
  waiting: 'False',
  stalled: 'False',
  unknown: 'Unknown',
};

/** The API server refuses longer messages. */
const longestMessage = 32_768;

/**
 * The whole list after a pass, or undefined when nothing changed. `lastTransitionTime` moves with the status only; conditions that nobody
 * spoke of are kept.
 */
export function mergeConditions(
  current: readonly Condition[],
  found: ReadonlyMap<string, StepResult>,
  how: { readonly generation?: number; readonly now: string },
): readonly Condition[] | undefined {
  let changed = false;
  const merged = new Map(current.map((one) => [one.type, one]));
  for (const [type, result] of found) {
    if (result.type === 'nothing') continue;
    const before = merged.get(type);
    const status = statusOf[result.type] ?? 'Unknown';
    const after: Condition = {
      type,
      status,
      reason: result.reason,
      message: result.message.slice(0, longestMessage),
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : how.now,
      ...(how.generation === undefined ? {} : { observedGeneration: how.generation }),
    };
    if (
      before &&
      before.status === status &&
      before.reason === after.reason &&
      before.message === after.message &&
      before.observedGeneration === after.observedGeneration
    )
      continue;
    merged.set(type, after);
    changed = true;
  }
  return changed ? [...merged.values()] : undefined;
}
