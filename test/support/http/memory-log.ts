import { PositionTrimmed } from '../../../domain/errors.ts';
import { comparePositions, origin, type Position, type RecordedEvent } from '../../../domain/event/index.ts';
import type { EventStore } from '../../../domain/ports/index.ts';

export interface MemoryLog extends Pick<EventStore, 'log' | 'end' | 'extent'> {
  push(...events: readonly RecordedEvent[]): void;
  /** Removes the newest events, as a failover does. */
  lose(count: number): void;
  trim(upTo: Position): void;
  /** How many follow it just now. */
  readonly followers: number;
  /** Thrown by the next reads instead of an answer. */
  failWith(error: Error | undefined): void;
}

/** A log whose positions the test says. */
export function createMemoryLog(): MemoryLog {
  let events: RecordedEvent[] = [];
  let trimmed: Position = origin;
  let failure: Error | undefined;
  let followers = 0;
  const bells = new Set<() => void>();
  const ring = () => {
    for (const bell of [...bells]) bell();
  };
  const more = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const bell = () => {
        bells.delete(bell);
        signal.removeEventListener('abort', bell);
        resolve();
      };
      bells.add(bell);
      signal.addEventListener('abort', bell);
    });
  return {
    push(...added) {
      events.push(...added);
      ring();
    },
    lose(count) {
      events = events.slice(0, events.length - count);
    },
    trim(upTo) {
      trimmed = upTo;
      events = events.filter(({ position }) => comparePositions(position, upTo) > 0);
    },
    get followers() {
      return followers;
    },
    failWith(error) {
      failure = error;
      ring();
    },
    async *log(after, { follow, batch = 250 } = {}) {
      let at = after;
      if (follow) followers += 1;
      try {
        for (;;) {
          if (failure) throw failure;
          if (comparePositions(at, trimmed) < 0) throw PositionTrimmed({ position: at, first: events[0]?.position ?? trimmed });
          const some = events.filter(({ position }) => comparePositions(position, at) > 0).slice(0, batch);
          const last = some.at(-1);
          if (last) {
            at = last.position;
            yield some;
          } else if (!follow || follow.aborted) return;
          else await more(follow);
          if (follow?.aborted) return;
        }
      } finally {
        if (follow) followers -= 1;
      }
    },
    async end() {
      if (failure) throw failure;
      return events.at(-1)?.position ?? origin;
    },
    async extent() {
      return { first: events[0]?.position ?? origin, last: events.at(-1)?.position ?? origin, events: events.length };
    },
  };
}
