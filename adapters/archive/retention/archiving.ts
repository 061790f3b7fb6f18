import { PositionTrimmed, SegmentDamaged, StoreUnavailable } from '../../../domain/errors.ts';
import { comparePositions, type Position, type RecordedEvent } from '../../../domain/event/index.ts';
import { before, eventLine } from '../../../domain/history/index.ts';
import { type Archive, chainStart, type EventStore, type LogKeeper, type Segment } from '../../../domain/ports/index.ts';
import { createChain } from '../chain.ts';
import type { Plan } from './plan.ts';

/** A planned run of the log, once more from the log. */
async function* planned({ after, last }: Plan, store: EventStore, signal: AbortSignal): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const batch of store.log(after)) {
    signal.throwIfAborted();
    const events = batch.filter(({ position }) => comparePositions(position, last) <= 0);
    if (events.length > 0) yield events;
    if (events.at(-1)?.position === last) return;
    if (events.length < batch.length) break;
  }
  throw StoreUnavailable({ reason: `the event at ${last} was there a moment ago and is gone` });
}

/**
 * Writes a segment, reads it back, and only then marks it: the mark is what lets the log be trimmed. The hash of what is read back is compared
 * with one over what the log held, so an archive that garbles what it is given is found out too. Undefined when somebody else was faster.
 */
export async function archiveOne(
  plan: Plan,
  { archive, store, keeper }: { readonly archive: Archive; readonly store: EventStore; readonly keeper: LogKeeper },
  signal: AbortSignal,
): Promise<Segment | undefined> {
  const chain = createChain((await archive.last())?.hash ?? chainStart);
  const tee = async function* () {
    for await (const events of planned(plan, store, signal)) {
      for (const event of events) chain.add(eventLine(event));
      yield events;
    }
  };
  const written = await archive.write({ after: plan.after, events: tee() });
  if (written.outcome === 'conflict') return undefined;
  const hash = chain.end();
  const segment = await archive.verify(written.segment.number);
  if (segment.hash !== hash)
    throw SegmentDamaged({ segment: `${segment.number} ${archive.name}`, reason: 'it does not hold what the log held' });
  signal.throwIfAborted();
  await keeper.markArchived(segment.last);
  return segment;
}

/**
 * Marks what was written by somebody who died before marking it, once it is read back. Only the last segment can be such a one: nobody writes
 * behind a segment that was not read back.
 */
export async function markWritten(tail: Segment, archive: Archive, keeper: LogKeeper): Promise<void> {
  if (comparePositions(tail.last, await keeper.archived()) <= 0) return;
  await archive.verify(tail.number);
  await keeper.markArchived(tail.last);
}

/**
 * Whether the log still holds what the archive took from it last. `absent` means that a failover lost the log's end: comparing positions would
 * not notice, new ones are soon past the lost ones.
 */
export async function standing(last: RecordedEvent, store: EventStore): Promise<'present' | 'trimmed' | 'absent'> {
  try {
    for await (const [event] of store.log(before(last.position), { batch: 1 })) {
      return event?.position === last.position && event.id === last.id ? 'present' : 'absent';
    }
    return 'absent';
  } catch (error) {
    if (PositionTrimmed.is(error)) return 'trimmed';
    throw error;
  }
}

export const earlier = (a: Position, b: Position | undefined): Position => (b === undefined || comparePositions(a, b) <= 0 ? a : b);
