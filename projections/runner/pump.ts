import { EventUnknown, PositionTrimmed } from '../../domain/errors.ts';
import { comparePositions, type Position, parsePosition, type RecordedEvent } from '../../domain/event/index.ts';
import type { Applied, EventStore, Log, ReadLog, ViewBatch, ViewId, ViewStore, ViewWrite } from '../../domain/ports/index.ts';
import { justBefore } from '../positions.ts';
import { createCollector, type Projection } from '../projection.ts';
import type { Skips } from './skips.ts';

/** One build that is fed. */
export interface Feed {
  readonly projection: Projection;
  readonly view: ViewId;
  /** The checkpoint as far as the store has confirmed it. */
  at: Position;
  /** Called when the store has confirmed writes. */
  readonly onReach: (to: Position, events: number) => void;
}

/** Why a feed can't go on from where it was. */
export type Trouble =
  | Exclude<Applied, { readonly outcome: 'applied' }>
  | { readonly outcome: 'unknown'; readonly reason: string }; /** an event of a newer release: nothing behind it may be folded */

export interface PumpOptions {
  readonly events: EventStore;
  readonly views: ViewStore;
  readonly feeds: readonly Feed[];
  readonly signal: AbortSignal;
  /** Waits for more at the end of the log. */
  readonly follow: boolean;
  readonly gather?: ReadLog['gather'];
  /** Ends there, wherever the log ends. */
  readonly until?: Position;
  readonly batch: number;
  readonly skips: Skips;
  readonly log: Log;
}

/** Calls of the store under way while the next batch is folded. */
const overlapping = 2;

/**
 * Reads the log once, decodes it once and feeds all the builds. Ends at the log's end (without `follow`), when the signal aborts, or as soon as a
 * feed is in trouble: the answer names it, and nothing else was lost. Throws what the stores throw.
 */
export async function pump(options: PumpOptions): Promise<ReadonlyMap<Feed, Trouble>> {
  const { events, feeds, signal, follow, until, batch: size, gather } = options;
  const troubles = new Map<Feed, Trouble>();
  if (feeds.length === 0) return troubles;
  // A refused or failed batch ends the reading at once: the next event, at which it would be noticed otherwise, may be a day away.
  const halt = new AbortController();
  const over = AbortSignal.any([signal, halt.signal]);
  const applier = createApplier(options, troubles, () => halt.abort());
  const start = await passTrimmed(options, applier);
  for await (const some of events.log(start, { batch: size, ...(follow ? { follow: over } : {}), ...(gather ? { gather } : {}) })) {
    if (over.aborted) break;
    const batch = until === undefined ? some : some.filter(({ position }) => comparePositions(position, until) <= 0);
    await applier.push(batch);
    if (batch.length < some.length || batch.at(-1)?.position === until) break;
  }
  await applier.settle();
  return troubles;
}

interface Applier {
  push(events: readonly RecordedEvent[]): Promise<void>;
  moveTo(position: Position): Promise<void>;
  settle(): Promise<void>;
}

function createApplier({ feeds, views, skips }: PumpOptions, troubles: Map<Feed, Trouble>, halt: () => void): Applier {
  const inTrouble = (feed: Feed, trouble: Trouble) => {
    if (!troubles.has(feed)) troubles.set(feed, trouble);
    halt();
  };
  const collector = createCollector();
  const next = new Map(feeds.map((feed) => [feed, feed.at]));
  let underWay: Promise<void>[] = [];

  const send = (batches: readonly (ViewBatch & { readonly feed: Feed; readonly events: number })[]): Promise<void> =>
    views.apply(batches.map(({ view, from, to, writes }) => ({ view, from, to, writes }))).then((answers) => {
      for (const [i, { feed, to, events }] of batches.entries()) {
        const answer = answers[i];
        if (answer?.outcome === 'applied') {
          feed.at = to;
          feed.onReach(to, events);
        } else if (answer) inTrouble(feed, answer);
      }
    });

  const push = async (batches: readonly (ViewBatch & { readonly feed: Feed; readonly events: number })[]) => {
    if (underWay.length >= overlapping) await underWay.shift();
    if (batches.length === 0) return;
    const sent = send(batches);
    // Whoever waits for it sees the failure; meanwhile it must not count as unhandled.
    sent.catch(halt);
    underWay.push(sent);
  };

  return {
    async push(events) {
      const batches = [];
      for (const feed of feeds) {
        const from = next.get(feed) ?? feed.at;
        const { to, error } = foldAll(feed, from, events, collector, skips);
        const writes: readonly ViewWrite[] = collector.take();
        if (comparePositions(to, from) > 0) {
          batches.push({ feed, view: feed.view, from, to, writes, events: events.length });
          next.set(feed, to);
        }
        if (error) inTrouble(feed, { outcome: 'unknown', reason: error.message });
      }
      await push(batches);
    },
    async moveTo(position) {
      const behind = feeds.filter((feed) => comparePositions(next.get(feed) ?? feed.at, position) < 0);
      await push(behind.map((feed) => ({ feed, view: feed.view, from: next.get(feed) ?? feed.at, to: position, writes: [], events: 0 })));
      for (const feed of behind) next.set(feed, position);
    },
    async settle() {
      const all = underWay;
      underWay = [];
      await Promise.all(all);
    },
  };
}

function foldAll(
  feed: Feed,
  from: Position,
  events: readonly RecordedEvent[],
  collector: ReturnType<typeof createCollector>,
  skips: Skips,
) {
  const { folds, schemas, name } = feed.projection;
  let to = from;
  const ahead = comparePositions(events[0]?.position ?? from, from) <= 0;
  for (const event of events) {
    if (ahead && comparePositions(event.position, from) <= 0) continue;
    const fold = folds.get(event.type);
    if (fold) {
      if (event.schema > (schemas[event.type] ?? event.schema))
        return { to, error: EventUnknown({ type: event.type, schema: event.schema }) };
      const mark = collector.mark();
      try {
        fold(collector, event);
      } catch (error) {
        collector.forget(mark);
        skips.add(name, event, error);
      }
    }
    to = event.position;
  }
  return { to };
}

const least = (positions: readonly Position[]): Position => positions.reduce((a, b) => (comparePositions(a, b) <= 0 ? a : b));

/** Where reading starts. What was trimmed and not archived can't be folded any more: the views begin, or go on, where history does. */
async function passTrimmed({ feeds, events, log }: PumpOptions, applier: Applier): Promise<Position> {
  const start = least(feeds.map(({ at }) => at));
  const first = await trimmedUpTo(events, start);
  if (!first) return start;
  log.warn('events before the first one kept are gone and no archive has them: views begin there', { first });
  // Where nothing is kept at all, the first is itself gone.
  const from = (await trimmedUpTo(events, justBefore(first))) ? first : justBefore(first);
  await applier.moveTo(from);
  return from;
}

async function trimmedUpTo(events: EventStore, after: Position): Promise<Position | undefined> {
  try {
    for await (const _ of events.log(after, { batch: 1 })) break;
    return undefined;
  } catch (error) {
    const first = PositionTrimmed.is(error) ? parsePosition(error.data.first) : undefined;
    if (!first) throw error;
    return first;
  }
}
