import { comparePositions, type Position } from '../../../domain/event/index.ts';
import type { Archive, EventStore, LogKeeper } from '../../../domain/ports/index.ts';
import { earlier } from './archiving.ts';

export interface Bounds {
  /** Bytes the log takes, and may take. */
  readonly bytes: number;
  readonly bound: number;
}

const gibibyte = 1024 ** 3;

export async function boundsOf(keeper: LogKeeper, maxBytes: number): Promise<Bounds> {
  const { bytes, maxmemory } = await keeper.size();
  return { bytes, bound: maxBytes || (maxmemory > 0 ? Math.floor(maxmemory / 2) : gibibyte) };
}

export const isOver = ({ bytes, bound }: Bounds): boolean => bytes > bound;

/** After a trim there is room for a tenth of the bound: one event too many must not cost a trim each time. */
const target = 0.9;

/** The end of the oldest segments whose removal brings the log within its bytes. Undefined when none is archived. */
export async function endForBytes({ bytes, bound }: Bounds, store: EventStore, archive: Archive): Promise<Position | undefined> {
  const { first, events } = await store.extent();
  if (events === 0) return undefined;
  let excess = Math.ceil((bytes - bound * target) / (bytes / events));
  let end: Position | undefined;
  for await (const segment of archive.segments()) {
    if (comparePositions(segment.last, first) < 0) continue;
    end = segment.last;
    excess -= segment.events;
    if (excess <= 0) break;
  }
  return end;
}

export interface Trim {
  readonly removed: number;
  readonly stoppedBy?: string;
}

/** Removes what is too old, and when the log is past its bytes the oldest segments too, never past what is archived. */
export async function trim(
  bounds: Bounds,
  oldest: number,
  {
    store,
    keeper,
    archive,
    readers,
  }: {
    readonly store: EventStore;
    readonly keeper: LogKeeper;
    readonly archive: Archive;
    readonly readers?: () => Promise<Position | undefined>;
  },
): Promise<Trim> {
  const over = isOver(bounds);
  const reader = over ? undefined : await readers?.();
  const byAge: Position = `${Math.max(0, oldest)}-${Number.MAX_SAFE_INTEGER}`;
  const byBytes = over ? await endForBytes(bounds, store, archive) : undefined;
  const wanted = byBytes !== undefined && comparePositions(byBytes, byAge) > 0 ? byBytes : byAge;
  const archived = await keeper.archived();
  const upTo = earlier(earlier(wanted, reader), archived);
  if (comparePositions(upTo, (await store.extent()).first) < 0) return { removed: 0 };
  const { removed, stoppedBy } = await keeper.trim(upTo);
  return { removed, ...(stoppedBy === undefined ? {} : { stoppedBy }) };
}
