import { ViewNotFound } from '../../domain/errors.ts';
import { origin } from '../../domain/event/index.ts';
import type { EventStore, ProjectionAdmin, ViewStore } from '../../domain/ports/index.ts';
import type { Residents } from './residents.ts';
import type { Skips } from './skips.ts';
import { attach, isCorrupt, type Slot, statusOf } from './slot.ts';
import type { StoredViews } from './stored.ts';
import { compareBuilds } from './verify.ts';

export interface AdminOptions {
  readonly events: EventStore;
  readonly views: ViewStore;
  readonly stored: StoredViews;
  readonly residents: Residents;
  readonly skips: Skips;
}

/** Switches that a moving live build may refuse before it is made to stand still. */
const refusals = 3;
/** How often a comparison is begun anew because another replica moved the live build meanwhile. */
const comparisons = 5;

export function createAdmin({ events, views, stored, residents, skips }: AdminOptions): ProjectionAdmin {
  const running = new Map<string, Promise<unknown>>();

  /** One at a time for each view: two rebuilds beside each other would only throw one of them away. */
  const alone = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = running.get(name);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    running.set(name, mine);
    return mine.finally(() => running.get(name) === mine && running.delete(name));
  };

  const slotOf = (name: string): Slot => {
    const slot = stored.slots.get(name);
    if (!slot) throw ViewNotFound({ view: name });
    return slot;
  };

  /** Nothing of ours writes to the live build while `work` is done. */
  const still = async <T>(slot: Slot, work: () => Promise<T>): Promise<T> => {
    slot.paused += 1;
    try {
      await stored.reconsider();
      return await work();
    } finally {
      slot.paused -= 1;
      await stored.reconsider();
    }
  };

  const rebuildStored = async (slot: Slot, { signal, onProgress }: Parameters<ProjectionAdmin['rebuild']>[1]): Promise<void> => {
    const { projection } = slot;
    let expected = await views.live(projection.name);
    const view = await views.begin(projection.name, projection.version);
    let at: Awaited<ReturnType<typeof stored.builder.fill>> = origin;
    let before = 0;
    let done = 0;
    const fillAndSwitch = async () => {
      before = done;
      const tell = (more: number) => {
        done = before + more;
        onProgress?.(done);
      };
      at = await stored.builder.fill(projection, view, at, { signal, onProgress: tell });
      return views.makeLive(view, expected);
    };
    try {
      for (let tries = 0; ; tries++) {
        const switched = tries < refusals ? await fillAndSwitch() : await still(slot, fillAndSwitch);
        if (switched === 'live') break;
        if (switched === 'gone' || tries > refusals + comparisons)
          throw new Error(`the new build of ${projection.name} could not be switched to: ${switched}`);
        if (switched === 'elsewhere') expected = await views.live(projection.name);
      }
    } catch (error) {
      await views.drop(view).catch(() => undefined);
      throw error;
    }
    attach(slot, view, at);
    await stored.reconsider();
  };

  const verifyStored = async (slot: Slot, signal: AbortSignal) => {
    const { projection } = slot;
    const scratch = await views.begin(`${projection.name}~verify`, projection.version);
    let at: Awaited<ReturnType<typeof stored.builder.fill>> = origin;
    try {
      at = await stored.builder.fill(projection, scratch, at, { signal });
      for (let tries = 1; ; tries++) {
        const compared = await still(slot, async () => {
          const live = await liveOf(projection.name);
          at = await stored.builder.fill(projection, scratch, at, { signal, until: live.checkpoint });
          // Written on by another replica, or read further than the live one has come: not the same place.
          const result = at === live.checkpoint ? await compareBuilds(views, live.view, scratch, signal) : undefined;
          const after = await liveOf(projection.name);
          return after.checkpoint === live.checkpoint && after.view.generation === live.view.generation ? result : undefined;
        });
        if (compared) return compared;
        if (tries === comparisons) throw new Error(`${projection.name} does not stand still: another replica writes to it`);
        await stored.waitFor(slot, at, 5_000);
      }
    } finally {
      await views.drop(scratch).catch(() => undefined);
    }
  };

  const liveOf = async (name: string) => {
    const live = (await views.builds(name)).find((build) => build.live);
    if (!live || isCorrupt(live.checkpoint)) throw new Error(`${name} has no live build that could be compared`);
    return { view: live.view, checkpoint: live.checkpoint };
  };

  const isResident = (name: string): boolean => residents.names.has(name);
  const status = (name: string) => (isResident(name) ? residents.status(name) : statusOf(slotOf(name), events, skips));

  return {
    list: () => Promise.all([...stored.slots.keys(), ...residents.names].map(status)),
    async rebuild(name, how) {
      if (isResident(name)) await alone(name, () => residents.rebuild(name, how.signal, how.onProgress));
      else {
        const slot = slotOf(name);
        await alone(name, () => rebuildStored(slot, how));
      }
      return status(name);
    },
    async verify(name, { signal }) {
      if (isResident(name)) return residents.verify(name, signal);
      const slot = slotOf(name);
      return alone(name, () => verifyStored(slot, signal));
    },
    async waitFor(name, position, deadline) {
      if (isResident(name)) return residents.waitFor(name, position, deadline);
      return stored.waitFor(slotOf(name), position, deadline);
    },
  };
}
