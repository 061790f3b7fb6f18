import { asOperatorError } from '../../../domain/errors.ts';
import { origin, type Position } from '../../../domain/event/index.ts';
import { archiveOne, markWritten, standing } from './archiving.ts';
import { idle, type Pass, type Retention, type RetentionOptions } from './options.ts';
import { createPlanner, type Plan } from './plan.ts';
import { type Bounds, boundsOf, isOver, trim } from './trimming.ts';
import { createVoice } from './voice.ts';

/** Most segments of one pass: a long backlog must not keep a stopping process waiting, nor the store busy. */
const segmentsPerPass = 10;

/**
 * Keeps the log within its age and bytes: archives whole segments as they fill, a part of one when its oldest event comes of age or the bytes
 * run out, reads them back, marks them, and trims what is marked. Only the leader does it.
 */
export function createRetention(options: RetentionOptions): Retention {
  const {
    store,
    keeper,
    archive,
    leadership,
    clock,
    maxAge,
    maxBytes,
    segmentEvents = 10_000,
    settle = 60_000,
    interval = 60_000,
  } = options;
  if (!(maxAge > 0) || !(maxBytes >= 0)) throw new TypeError('the retention needs an age above 0 and bytes of at least 0');
  if (!Number.isInteger(segmentEvents) || segmentEvents < 1) throw new TypeError('a segment has at least one event');
  const planner = createPlanner(store, segmentEvents);
  const voice = createVoice(options);
  const leads = () => leadership === undefined || leadership.term() !== undefined;
  let checked: Position = origin;

  const checkLoss = async (last: Position): Promise<void> => {
    if (!archive || last === checked) return;
    const event = await archive.find(last);
    if (event && (await standing(event, store)) === 'absent') voice.lost(last);
    checked = last;
  };

  /** Past the bound a part of a segment is due only where trimming all that is archived would not do: else a stuck log became a heap of crumbs. */
  const weighs = async (plan: Plan, bounds: Bounds): Promise<boolean> => {
    if (!isOver(bounds)) return false;
    const { events } = await store.extent();
    return events > 0 && (bounds.bytes / events) * plan.events > bounds.bound / 10;
  };

  /** Writes what is due. The number of segments, and whether there is more to do. */
  const archiveDue = async (bounds: Bounds, signal: AbortSignal): Promise<{ readonly segments: number; readonly more: boolean }> => {
    if (!archive) return { segments: 0, more: false };
    for (let segments = 0; ; segments += 1) {
      signal.throwIfAborted();
      if (!leads()) return { segments, more: false };
      const now = clock.now();
      const plan = await planner.next((await archive.last())?.last ?? origin, now - settle, signal);
      if (!plan || !(plan.full || plan.since <= now - maxAge || (await weighs(plan, bounds)))) return { segments, more: false };
      if (segments === segmentsPerPass) return { segments, more: true };
      if (plan.hole) voice.hole(plan.after);
      const segment = await archiveOne(plan, { archive, store, keeper }, signal);
      if (!segment) return { segments, more: false };
      voice.archived(segment);
      checked = segment.last;
    }
  };

  const pass = async (signal: AbortSignal): Promise<Pass> => {
    if (!leads()) return idle;
    const bounds = await boundsOf(keeper, maxBytes);
    if (!archive) {
      const stuck = isOver(bounds) ? 'nothing is archived: set MO_ARCHIVE_PATH or MO_EVENTSTOREDB_URL' : undefined;
      voice.bounds(bounds, stuck);
      return { ...idle, ...(stuck === undefined ? {} : { stuck }) };
    }
    const tail = await archive.last();
    if (tail) {
      await checkLoss(tail.last);
      await markWritten(tail, archive, keeper);
    }
    const { segments, more } = await archiveDue(bounds, signal);
    if (!leads()) return { segments, removed: 0, more: false };
    const { removed, stoppedBy } = await trim(bounds, clock.now() - maxAge, { ...options, archive });
    voice.trimmed(removed);
    const after = removed > 0 ? await boundsOf(keeper, maxBytes) : bounds;
    const stuck = isOver(after) && !more ? (stoppedBy ?? 'the youngest events alone take more than its bound') : undefined;
    voice.bounds(after, stuck);
    return { segments, removed, more, ...(stuck === undefined ? {} : { stuck }) };
  };

  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const { more } = await pass(stopping.signal);
        voice.worked();
        if (more) continue;
      } catch (error) {
        if (!stopping.signal.aborted) voice.failed(asOperatorError(error, 'retention'));
      }
      await clock.sleep(interval * (0.9 + 0.2 * clock.random()), stopping.signal).catch(() => undefined);
    }
  };

  return {
    name: 'retention',
    pass,
    async start() {
      running ??= run();
    },
    async stop({ deadline }) {
      stopping.abort(new Error('the retention is stopped'));
      const left = await Promise.race([
        running?.then(() => []),
        clock.sleep(deadline).then(() => ['an archived segment was not finished']),
      ]);
      return { dropped: left ?? [] };
    },
  };
}
