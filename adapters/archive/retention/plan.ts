import { PositionTrimmed } from '../../../domain/errors.ts';
import { comparePositions, origin, type Position, parsePosition, timeOf } from '../../../domain/event/index.ts';
import { before } from '../../../domain/history/index.ts';
import type { EventStore } from '../../../domain/ports/index.ts';

/** Events to be archived next: all of the log after `after` up to and with `last`. */
export interface Plan {
  readonly after: Position;
  readonly last: Position;
  readonly events: number;
  /** Epoch ms of the oldest. */
  readonly since: number;
  readonly full: boolean;
  /** Set when events between `after` and the end of the archive left the log without having been archived here. */
  readonly hole: boolean;
}

export interface Planner {
  /** Undefined when the log holds nothing after `after` that has settled. `settledAt`: epoch ms. */
  next(after: Position, settledAt: number, signal: AbortSignal): Promise<Plan | undefined>;
}

/** Counts what a segment would hold. It goes on counting where it stopped, so that a quiet log is not read over and over. */
export function createPlanner(store: EventStore, segmentEvents: number): Planner {
  let asked: Position | undefined;
  let plan: Plan | undefined;

  const count = async (from: Plan | undefined, after: Position, settledAt: number, signal: AbortSignal): Promise<Plan | undefined> => {
    let found = from;
    for await (const batch of store.log(found?.last ?? after)) {
      signal.throwIfAborted();
      for (const { position } of batch) {
        if (timeOf(position) > settledAt) return found;
        const events = (found?.events ?? 0) + 1;
        const since = found?.since ?? timeOf(position);
        found = { after, last: position, events, since, full: events >= segmentEvents, hole: found?.hole ?? false };
        if (found.full) return found;
      }
    }
    return found;
  };

  return {
    async next(after, settledAt, signal) {
      if (asked === undefined || comparePositions(asked, after) !== 0) plan = undefined;
      asked = after;
      if (plan?.full) return plan;
      try {
        plan = await count(plan, plan?.after ?? after, settledAt, signal);
      } catch (error) {
        if (!PositionTrimmed.is(error)) throw error;
        const first = before(positionOf(error.data.first));
        plan = await count(undefined, first, settledAt, signal);
        if (plan) plan = { ...plan, hole: true };
      }
      return plan;
    },
  };
}

const positionOf = (text: string): Position => parsePosition(text) ?? origin;
