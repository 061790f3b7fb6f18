import { EventUnknown, PositionTrimmed } from '../../domain/errors.ts';
import { comparePositions, origin, type Position, parsePosition, type RecordedEvent } from '../../domain/event/index.ts';
import type { Clock, EventStore, Log, ProjectionStatus, ViewStore } from '../../domain/ports/index.ts';
import { justBefore } from '../positions.ts';
import type { Resident, ResidentState } from '../resident.ts';
import { createGathering } from './gathering.ts';
import { createProgress, type Progress } from './progress.ts';
import type { Skips } from './skips.ts';
import { lagOf } from './slot.ts';
import { loadSnapshot, saveSnapshot } from './snapshot.ts';

export interface ResidentsOptions {
  readonly events: EventStore;
  readonly views: ViewStore;
  readonly resident: readonly Resident[];
  readonly clock: Clock;
  readonly log: Log;
  readonly skips: Skips;
}

interface Held {
  readonly resident: Resident;
  readonly progress: Progress;
  state: ResidentState;
  generation: number;
  snapshotAt: Position;
  stopped?: string;
}

export interface Residents {
  readonly names: ReadonlySet<string>;
  /** Folds until the signal aborts; never throws. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when all have seen what the log held at the call, or when the store can't be reached: it is tried on then. */
  caughtUp(signal: AbortSignal): Promise<void>;
  waitFor(name: string, position: Position, deadline: number): Promise<void>;
  status(name: string): Promise<ProjectionStatus>;
  rebuild(name: string, signal: AbortSignal, onProgress?: (done: number) => void): Promise<void>;
  verify(
    name: string,
    signal: AbortSignal,
  ): Promise<{ readonly equal: boolean; readonly rows: number; readonly differences: readonly string[] }>;
  saveAll(): Promise<void>;
}

const batch = 1_000;
/** A snapshot is stored when so many events were folded since the last one, or when so much time (ms) went by. */
const snapshotEvents = 20_000;
const snapshotTime = 3_600_000;
const differencesShown = 20;

export function createResidents(options: ResidentsOptions): Residents {
  const { events, views, clock, log, skips } = options;
  const held = new Map<string, Held>(
    options.resident.map((resident) => [
      resident.name,
      {
        resident,
        progress: createProgress(resident.name, origin, clock, () => gathering.hurry()),
        state: resident.begin(),
        generation: 1,
        snapshotAt: origin,
      },
    ]),
  );
  const all = [...held.values()];
  const gathering = createGathering(clock, () => all.some(({ progress }) => progress.awaited));
  let failed = false;
  const onFailure = new Set<() => void>();

  const take = (one: Held, state: ResidentState, event: RecordedEvent) => {
    const { name, schemas, handles } = one.resident;
    if (!handles(event.type)) return;
    if (event.schema > (schemas[event.type] ?? event.schema)) throw EventUnknown({ type: event.type, schema: event.schema });
    try {
      state.fold(event);
    } catch (error) {
      skips.add(name, event, error);
    }
  };

  const restore = async (one: Held) => {
    const { name, version } = one.resident;
    const snapshot = await loadSnapshot(views, name, version);
    const state = one.resident.begin();
    if (snapshot) state.load(snapshot.lines);
    one.state = state;
    state.use();
    one.snapshotAt = snapshot?.at ?? origin;
    one.progress.reach(one.snapshotAt);
  };

  const follow = async (signal: AbortSignal) => {
    const from = all.map(({ progress }) => progress.at).reduce((a, b) => (comparePositions(a, b) <= 0 ? a : b));
    let folded = 0;
    let savedAt = clock.monotonic();
    for await (const some of events.log(from, { batch, follow: signal, gather: gathering.pause })) {
      const last = some.at(-1)?.position;
      if (!last) continue;
      for (const one of all) {
        const from = one.progress.at;
        const ahead = comparePositions(some[0]?.position ?? last, from) <= 0;
        for (const event of some) if (!ahead || comparePositions(event.position, from) > 0) take(one, one.state, event);
        if (comparePositions(last, from) > 0) one.progress.reach(last);
      }
      folded += some.length;
      if (folded >= snapshotEvents || clock.monotonic() - savedAt >= snapshotTime) {
        folded = 0;
        savedAt = clock.monotonic();
        await saveAll();
      }
    }
  };

  const saveAll = async () => {
    for (const one of all) {
      if (one.stopped !== undefined || comparePositions(one.progress.at, one.snapshotAt) <= 0) continue;
      const { name, version } = one.resident;
      const saved = await saveSnapshot(views, name, version, one.progress.at, one.state.save()).catch((error: unknown) => String(error));
      if (saved === 'saved') one.snapshotAt = one.progress.at;
      else log.warn('no snapshot was stored', { view: name, reason: saved });
    }
  };

  /** Reads from where history begins when what comes before it is gone everywhere. */
  const passTrimmed = (error: unknown): boolean => {
    const first = PositionTrimmed.is(error) ? parsePosition(error.data.first) : undefined;
    if (!first) return false;
    log.warn('events before the first one kept are gone and no archive has them: views begin there', { first });
    for (const { progress } of all)
      if (comparePositions(progress.at, first) < 0) progress.reach(progress.at === justBefore(first) ? first : justBefore(first));
    return true;
  };

  const scratch = async (one: Held, signal: AbortSignal, until?: Position, onProgress?: (done: number) => void) => {
    const state = one.resident.begin();
    let at = origin;
    let done = 0;
    for await (const some of events.log(origin, { batch })) {
      signal.throwIfAborted();
      const part = until === undefined ? some : some.filter(({ position }) => comparePositions(position, until) <= 0);
      for (const event of part) take(one, state, event);
      done += part.length;
      at = part.at(-1)?.position ?? at;
      onProgress?.(done);
      if (part.length < some.length) break;
    }
    return { state, at };
  };

  const get = (name: string): Held => {
    const one = held.get(name);
    if (!one) throw new RangeError(`no resident view ${name}`);
    return one;
  };

  return {
    names: new Set(held.keys()),
    async run(signal) {
      if (all.length === 0) return;
      let restored = false;
      for (let failures = 0; !signal.aborted; ) {
        try {
          if (!restored) for (const one of all) await restore(one);
          restored = true;
          await follow(signal);
          failures = 0;
        } catch (error) {
          if (signal.aborted) break;
          if (passTrimmed(error)) continue;
          if (EventUnknown.is(error)) {
            for (const one of all) one.stopped = error.message;
            log.error('resident views are stopped', { reason: error.message });
            break;
          }
          failures += 1;
          failed = true;
          for (const tell of onFailure) tell();
          if (failures === 1)
            log.warn('resident views are not fed; trying on', { reason: error instanceof Error ? error.message : String(error) });
          await clock.sleep(Math.min(5_000, 100 * 2 ** failures) * (0.5 + clock.random() / 2), signal).catch(() => undefined);
        }
      }
    },
    async caughtUp(signal) {
      if (all.length === 0) return;
      const end = await events.end().catch(() => undefined);
      if (end === undefined || failed) return;
      const failure = new Promise<void>((resolve) => onFailure.add(resolve));
      const aborted = new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
      aborted.catch(() => undefined);
      await Promise.race([Promise.all(all.map(({ progress }) => progress.reached(end))), failure, aborted]);
      onFailure.clear();
    },
    waitFor: (name, position, deadline) => get(name).progress.wait(position, get(name).stopped === undefined ? deadline : 0),
    async status(name) {
      const { resident, progress, generation, stopped } = get(name);
      return {
        name,
        kind: 'resident',
        version: resident.version,
        generation,
        position: progress.at,
        lag: await lagOf(events, progress.at),
        state: stopped === undefined ? 'running' : 'stopped',
        ...(stopped === undefined ? {} : { reason: stopped }),
        skipped: skips.count(name),
      };
    },
    async rebuild(name, signal, onProgress) {
      const one = get(name);
      const built = await scratch(one, signal, undefined, onProgress);
      let at = built.at;
      // What the reader folded meanwhile is folded here too. Nothing waits between the last look and the switch.
      while (comparePositions(at, one.progress.at) < 0) {
        const before = at;
        for await (const some of events.log(at, { batch })) {
          for (const event of some) take(one, built.state, event);
          at = some.at(-1)?.position ?? at;
          if (comparePositions(at, one.progress.at) >= 0) break;
        }
        // The log ends before the place that was read to: it lost its end, and there is nothing more to fold.
        if (at === before) break;
      }
      one.state = built.state;
      one.generation += 1;
      one.state.use();
      // The reader goes on behind what is in the new state, or it would fold some of it twice.
      one.progress.reach(at);
    },
    async verify(name, signal) {
      const one = get(name);
      const at = one.progress.at;
      const seen = [...one.state.save()];
      const { state } = await scratch(one, signal, at);
      const built = [...state.save()];
      const differences = compareLines(seen, built);
      return { equal: differences.length === 0, rows: seen.length, differences };
    },
    saveAll,
  };
}

function compareLines(seen: readonly string[], built: readonly string[]): readonly string[] {
  const [a, b] = [new Set(seen), new Set(built)];
  return [
    ...seen.filter((line) => !b.has(line)).map((line) => `live only: ${line}`),
    ...built.filter((line) => !a.has(line)).map((line) => `rebuilt only: ${line}`),
  ]
    .slice(0, differencesShown)
    .map((line) => line.slice(0, 200));
}
