import { comparePositions, type Position } from '../../domain/event/index.ts';
import type { Clock, EventStore, Log, ViewId, ViewStore } from '../../domain/ports/index.ts';
import type { Projection } from '../projection.ts';
import { type Builder, createBuilder } from './builder.ts';
import { createGathering } from './gathering.ts';
import { type Feed, pump, type Trouble } from './pump.ts';
import type { Skips } from './skips.ts';
import { attach, corruptReason, createSlot, isCorrupt, type Slot, stop } from './slot.ts';

export interface StoredOptions {
  readonly events: EventStore;
  readonly views: ViewStore;
  readonly projections: readonly Projection[];
  readonly clock: Clock;
  readonly log: Log;
  readonly skips: Skips;
  readonly batch: number;
}

export interface StoredViews {
  readonly slots: ReadonlyMap<string, Slot>;
  readonly builder: Builder;
  /** Feeds the views until the signal aborts; never throws. */
  run(signal: AbortSignal): Promise<void>;
  /** Looks at the slots anew: one was paused, released or detached. Resolves when no write to the former feeds is under way. */
  reconsider(): Promise<void>;
  waitFor(slot: Slot, position: Position, deadline: number): Promise<void>;
}

/** A replica that loses before it has won so many batches lets the other one work. */
const winsBeforeTrust = 20;
/** How long a replica stands by before it looks again, in ms: half of it to all of it. */
const standBy = 500;
const waitForNewer = 5_000;
const backoff = { first: 100, longest: 5_000 };

export function createStoredViews(options: StoredOptions): StoredViews {
  const { events, views, clock, log } = options;
  const slots = new Map(options.projections.map((projection) => [projection.name, createSlot(projection, clock, () => gathering.hurry())]));
  const all = [...slots.values()];
  const gathering = createGathering(clock, () => all.some(({ progress }) => progress.awaited));
  let round = new AbortController();
  let settled: Promise<unknown> = Promise.resolve();
  const background = new Set<Promise<void>>();
  const wake = () => round.abort();
  const builder = createBuilder({ ...options, wake });
  const jitter = (ms: number) => ms * (0.5 + clock.random() / 2);

  const inBackground = (work: Promise<void>) => {
    const done: Promise<void> = work.catch(() => undefined).finally(() => background.delete(done));
    background.add(done);
  };

  /** Finds the build to feed: the live one of our version, or one to be made. */
  const look = async (slot: Slot, fresh: { slot: Slot; expected: ViewId | undefined }[], signal: AbortSignal) => {
    const { name, version } = slot.projection;
    const live = (await views.builds(name)).find((build) => build.live);
    if (!live || live.view.version < version) {
      slot.state = 'rebuilding';
      fresh.push({ slot, expected: live?.view });
    } else if (live.view.version > version) {
      const reason = `a newer release has built version ${live.view.version} of it`;
      Object.assign(slot, { state: 'standing-by', feed: undefined, reason });
      inBackground(later(slot, waitForNewer, signal));
    } else if (isCorrupt(live.checkpoint)) {
      stop(slot, corruptReason(live.checkpoint.corrupt));
      log.error('a view is stopped', { view: name, reason: slot.reason });
    } else attach(slot, live.view, live.checkpoint);
  };

  const later = async (slot: Slot, ms: number, signal: AbortSignal) => {
    await clock.sleep(jitter(ms), signal);
    slot.state = 'detached';
    wake();
  };

  /** Somebody else feeds the view. Takes it over when nothing moves although there are events. */
  const watch = async (slot: Slot, signal: AbortSignal) => {
    let before: Position | undefined;
    while (slot.state === 'standing-by') {
      await clock.sleep(jitter(standBy), signal);
      try {
        const at = await refresh(slot);
        if (at === undefined || (at === before && comparePositions(await events.end(), at) > 0)) {
          slot.state = 'detached';
          wake();
          return;
        }
        before = at;
      } catch {
        // The store is away: it still stands by when it is back.
      }
    }
  };

  const refresh = async (slot: Slot): Promise<Position | undefined> => {
    const live = (await views.builds(slot.projection.name)).find((build) => build.live);
    if (!live || isCorrupt(live.checkpoint) || live.view.generation !== slot.feed?.view.generation) return undefined;
    slot.progress.reach(live.checkpoint);
    return live.checkpoint;
  };

  const handle = (troubles: ReadonlyMap<Feed, Trouble>, signal: AbortSignal) => {
    for (const [feed, trouble] of troubles) {
      const slot = all.find((one) => one.feed === feed);
      if (!slot) continue;
      if (trouble.outcome === 'elsewhere') {
        feed.at = trouble.checkpoint;
        slot.progress.reach(feed.at);
        if (slot.won < winsBeforeTrust) {
          slot.state = 'standing-by';
          inBackground(watch(slot, signal));
        }
        slot.won = 0;
      } else if (trouble.outcome === 'gone') slot.state = 'detached';
      else {
        stop(slot, trouble.outcome === 'corrupt' ? corruptReason(trouble.found) : trouble.reason);
        log.error('a view is stopped', { view: slot.projection.name, reason: slot.reason });
      }
    }
  };

  const once = async (signal: AbortSignal) => {
    round = new AbortController();
    const both = AbortSignal.any([signal, round.signal]);
    const fresh: { slot: Slot; expected: ViewId | undefined }[] = [];
    for (const slot of all) if (slot.state === 'detached') await look(slot, fresh, signal);
    if (fresh.length > 0) inBackground(builder.build(fresh, signal));
    const feeds = all.flatMap((slot) => (slot.state === 'running' && slot.paused === 0 && slot.feed ? [slot.feed] : []));
    if (feeds.length === 0) await clock.sleep(60_000, both).catch(() => undefined);
    else handle(await pump({ ...options, feeds, signal: both, follow: true, gather: gathering.pause }), signal);
  };

  return {
    slots,
    builder,
    async run(signal) {
      for (let failures = 0; !signal.aborted; ) {
        try {
          const work = once(signal);
          settled = work.catch(() => undefined);
          await work;
          failures = 0;
        } catch (error) {
          if (signal.aborted) break;
          failures += 1;
          if (failures === 1) log.warn('views are not fed; trying on', { reason: error instanceof Error ? error.message : String(error) });
          // Whether the last writes arrived is not known: the checkpoint tells.
          for (const slot of all) if (slot.state === 'running') slot.state = 'detached';
          await clock.sleep(jitter(Math.min(backoff.longest, backoff.first * 2 ** failures)), signal).catch(() => undefined);
        }
      }
      await Promise.all(background);
    },
    async reconsider() {
      const former = settled;
      wake();
      await former;
    },
    async waitFor(slot, position, deadline) {
      const until = clock.monotonic() + deadline;
      const waiting = slot.progress.wait(position, slot.state === 'stopped' ? 0 : deadline);
      let over = false;
      const done = waiting.finally(() => {
        over = true;
      });
      // Another replica feeds it: nobody tells us, so we look.
      for (let pause = 5; slot.state === 'standing-by' && !over && clock.monotonic() < until; pause = Math.min(50, pause * 2)) {
        await refresh(slot).catch(() => undefined);
        if (!over) await Promise.race([clock.sleep(pause), done.catch(() => undefined)]);
      }
      return done;
    },
  };
}
