import { StoreUnavailable } from '../../domain/errors.ts';
import type { NewEvent, Position, RecordedEvent, StreamName } from '../../domain/event/index.ts';
import { timeOf } from '../../domain/event/index.ts';
import type { Clock } from '../../domain/ports/index.ts';
import type { Change } from './changes.ts';
import { type Journal, openJournal } from './journal.ts';
import { snapshot } from './snapshot.ts';
import { apply, emptyState, type State } from './state.ts';

/** One call's changes while they are made: what it sees is the state with them, what it leaves is all of them or none. */
export interface Draft {
  readonly state: State;
  readonly now: number;
  add(stream: StreamName, id: string, events: readonly NewEvent[]): readonly [RecordedEvent, ...RecordedEvent[]];
  push(change: Change): void;
  /** Runs once the changes stand; never when the call failed. */
  after(run: () => void): void;
  /** What is known of an object, with what this call has just recorded. */
  seen(uid: string): { readonly resourceVersion: string; readonly gone: boolean } | undefined;
}

export interface Core {
  readonly state: State;
  readonly now: () => number;
  /** Runs one call. Nothing in it may wait, which makes it atomic. */
  change<T>(run: (draft: Draft) => T): T;
  /** Calls back after the next append. Returns how to stop listening. */
  onAppend(listener: () => void): () => void;
  compact(): void;
  close(): void;
}

export interface CoreOptions {
  readonly clusterId: string;
  readonly clock: Clock;
  readonly file?: string | undefined;
  readonly fsync?: boolean | undefined;
}

export function createCore({ clusterId, clock, file, fsync = false }: CoreOptions): Core {
  const state = emptyState();
  const journal: Journal | undefined = file === undefined ? undefined : openJournal(file, fsync, (read) => apply(state, read));
  const listeners = new Set<() => void>();
  const source = `/clusters/${clusterId}`;

  return {
    state,
    now: () => clock.now(),
    change(run) {
      const changes: Change[] = [];
      const then: (() => void)[] = [];
      const versions = new Map<StreamName, number>();
      let last = state.last;
      const next = (): Position => {
        const time = Math.max(clock.now(), timeOf(last));
        last = time === timeOf(last) ? `${time}-${Number(last.slice(last.indexOf('-') + 1)) + 1}` : `${time}-0`;
        return last;
      };
      const result = run({
        state,
        now: clock.now(),
        push: (change) => changes.push(change),
        after: (run) => then.push(run),
        seen: (uid) => changes.filter((one) => one.k === 'seen').findLast((one) => one.uid === uid) ?? state.seen.get(uid),
        add(stream, id, events) {
          let version = versions.get(stream) ?? state.versions.get(stream) ?? 0;
          const made = events.map((event, i): RecordedEvent => {
            version += 1;
            // Through JSON as any other store does it: what was read must never share an object with what was written.
            return { ...JSON.parse(JSON.stringify(event)), id: `${id}/${i + 1}`, source, stream, version, position: next() };
          });
          versions.set(stream, version);
          for (const event of made) changes.push({ k: 'event', event });
          const [first, ...rest] = made;
          if (!first) throw new RangeError('an append has 1 to 100 events');
          return [first, ...rest];
        },
      });
      try {
        if (changes.length > 0) journal?.write(changes);
      } catch (error) {
        throw StoreUnavailable({ reason: 'the file of the log refuses to be written' }, error);
      }
      for (const change of changes) apply(state, change);
      for (const run of then) run();
      if (changes.some(({ k }) => k === 'event')) for (const listener of [...listeners]) listener();
      return result;
    },
    onAppend(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    compact: () => journal?.rewrite(snapshot(state)),
    close: () => journal?.close(),
  };
}
