import { comparePositions, origin, type Position } from '../../domain/event/index.ts';
import type { Clock, EventStore, ProjectionStatus, ViewBuild, ViewId } from '../../domain/ports/index.ts';
import type { Projection } from '../projection.ts';
import { createProgress, type Progress } from './progress.ts';
import type { Feed } from './pump.ts';
import type { Skips } from './skips.ts';

/** A stored view and what is being done about it. */
export interface Slot {
  readonly projection: Projection;
  /** Of the live build. */
  readonly progress: Progress;
  /** Undefined until it is attached. */
  feed?: Feed | undefined;
  state: 'detached' | ProjectionStatus['state'];
  reason?: string | undefined;
  /** Batches applied since the last one that somebody else was faster with. */
  won: number;
  /** Held while a rebuild or a comparison needs the live build to stand still. */
  paused: number;
  /** 0 to 1 of the build in the making. */
  share?: number | undefined;
}

export const createSlot = (projection: Projection, clock: Clock, onWait?: () => void): Slot => ({
  projection,
  progress: createProgress(projection.name, origin, clock, onWait),
  state: 'detached',
  won: 0,
  paused: 0,
});

/** From now on the live build is fed from its checkpoint. */
export function attach(slot: Slot, view: ViewId, at: Position): void {
  const feed: Feed = {
    projection: slot.projection,
    view,
    at,
    onReach(to) {
      slot.won += 1;
      if (slot.feed === feed) slot.progress.reach(to);
    },
  };
  Object.assign(slot, { feed, state: 'running', reason: undefined, share: undefined });
  slot.progress.reach(at);
}

export function stop(slot: Slot, reason: string): void {
  Object.assign(slot, { feed: undefined, state: 'stopped', reason, share: undefined });
}

export const isCorrupt = (checkpoint: ViewBuild['checkpoint']): checkpoint is { readonly corrupt: string } =>
  typeof checkpoint !== 'string';

export const corruptReason = (found: string): string =>
  `its checkpoint is no position: ${JSON.stringify(found.slice(0, 40))}; rebuild the view once the cause is known`;

/** Events counted for the lag; beyond it the lag is at least this. */
const counted = 10_000;

export async function statusOf(slot: Slot, events: EventStore, skips: Skips): Promise<ProjectionStatus> {
  const { projection, progress, feed, state, reason, share } = slot;
  return {
    name: projection.name,
    kind: 'stored',
    version: projection.version,
    generation: feed?.view.generation ?? 0,
    position: progress.at,
    lag: await lagOf(events, progress.at),
    state: state === 'detached' ? 'standing-by' : state,
    ...(reason === undefined ? {} : { reason }),
    ...(share === undefined ? {} : { progress: share }),
    skipped: skips.count(projection.name),
  };
}

export async function lagOf(events: EventStore, at: Position): Promise<number> {
  const { last, first, events: all } = await events.extent();
  if (comparePositions(last, at) <= 0) return 0;
  if (comparePositions(at, first) < 0) return all;
  let lag = 0;
  for await (const some of events.log(at, { batch: 1_000 })) {
    lag += some.length;
    if (lag >= counted) break;
  }
  return lag;
}
