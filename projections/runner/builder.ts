import { comparePositions, origin, type Position } from '../../domain/event/index.ts';
import type { Clock, EventStore, Log, ViewId, ViewStore } from '../../domain/ports/index.ts';
import type { Projection } from '../projection.ts';
import { type Feed, pump } from './pump.ts';
import type { Skips } from './skips.ts';
import { attach, corruptReason, isCorrupt, type Slot, stop } from './slot.ts';

export interface BuilderOptions {
  readonly events: EventStore;
  readonly views: ViewStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly skips: Skips;
  readonly batch: number;
  /** Tells whoever feeds the live builds that there is something new to feed. */
  readonly wake: () => void;
}

export interface FillOptions {
  readonly signal: AbortSignal;
  readonly until?: Position;
  readonly onProgress?: (done: number) => void;
}

export interface Builder {
  /** Makes the first build of views, or that of a higher version beside a lower one, all from one pass; switches each when it has seen all. */
  build(fresh: readonly { readonly slot: Slot; readonly expected: ViewId | undefined }[], signal: AbortSignal): Promise<void>;
  /** Feeds a build up to the log's end (or `until`). Throws when the build is in trouble, and the signal's reason. */
  fill(projection: Projection, view: ViewId, from: Position, how: FillOptions): Promise<Position>;
}

export function createBuilder(options: BuilderOptions): Builder {
  const { events, views, clock, log, wake } = options;

  /** A build of our version that somebody began and did not finish is gone on with: the checkpoint keeps two from doing harm. */
  const buildFor = async ({ slot, expected }: { readonly slot: Slot; readonly expected: ViewId | undefined }, total: number) => {
    const { name, version } = slot.projection;
    const begun = (await views.builds(name)).find(
      ({ view, live, checkpoint }) =>
        !live && view.version === version && view.generation > (expected?.generation ?? 0) && !isCorrupt(checkpoint),
    );
    const view = begun?.view ?? (await views.begin(name, version));
    let done = 0;
    const feed: Feed = {
      projection: slot.projection,
      view,
      at: begun && !isCorrupt(begun.checkpoint) ? begun.checkpoint : origin,
      onReach(_, count) {
        done += count;
        slot.share = total === 0 ? 1 : Math.min(1, done / total);
      },
    };
    log.info('building a view', { view: name, version, generation: view.generation, beside: expected?.version });
    return { slot, expected, feed };
  };

  type Work = Awaited<ReturnType<typeof buildFor>>;

  /** One pass to the log's end and the attempt to switch. Gives what is still to be done. */
  const pass = async (open: readonly Work[], signal: AbortSignal): Promise<readonly Work[]> => {
    const troubles = await pump({ ...options, feeds: open.map(({ feed }) => feed), signal, follow: false });
    const left: Work[] = [];
    for (const work of open) {
      const { slot, feed, expected } = work;
      const trouble = troubles.get(feed);
      if (trouble?.outcome === 'elsewhere') {
        feed.at = trouble.checkpoint;
        left.push(work);
        await clock.sleep(50 + 100 * clock.random(), signal);
      } else if (trouble?.outcome === 'gone') slot.state = 'detached';
      else if (trouble) stop(slot, trouble.outcome === 'corrupt' ? corruptReason(trouble.found) : trouble.reason);
      else if (troubles.size > 0 || signal.aborted) left.push(work);
      else {
        const switched = await views.makeLive(feed.view, expected);
        if (switched === 'behind') left.push(work);
        else if (switched === 'live') {
          attach(slot, feed.view, feed.at);
          log.info('a view is live', { view: feed.view.name, version: feed.view.version, generation: feed.view.generation });
        } else {
          // Another replica was faster; its build is as good as ours.
          if (switched === 'elsewhere') await views.drop(feed.view);
          slot.state = 'detached';
        }
      }
    }
    wake();
    return left;
  };

  return {
    async build(fresh, signal) {
      let open: readonly Work[] = [];
      try {
        const { events: total } = await events.extent();
        const begun: Work[] = [];
        for (const one of fresh) begun.push(await buildFor(one, total));
        open = begun;
        while (open.length > 0 && !signal.aborted) open = await pass(open, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn('a view could not be built; trying again', { reason: error instanceof Error ? error.message : String(error) });
        await clock.sleep(500 + 1_000 * clock.random(), signal).catch(() => undefined);
      } finally {
        for (const { slot } of fresh) if (slot.state === 'rebuilding') slot.state = 'detached';
        wake();
      }
    },
    async fill(projection, view, from, { signal, until, onProgress }) {
      let done = 0;
      const feed: Feed = {
        projection,
        view,
        at: from,
        onReach(_, count) {
          done += count;
          onProgress?.(done);
        },
      };
      const reached = () => until !== undefined && comparePositions(feed.at, until) >= 0;
      if (reached()) return feed.at;
      const troubles = await pump({ ...options, feeds: [feed], signal, follow: false, ...(until === undefined ? {} : { until }) });
      signal.throwIfAborted();
      const trouble = troubles.get(feed);
      if (trouble) throw new Error(`the build ${view.name} ${view.version}.${view.generation} can't go on: ${trouble.outcome}`);
      return feed.at;
    },
  };
}
