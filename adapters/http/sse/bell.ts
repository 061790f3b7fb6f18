import { comparePositions, type Position, type RecordedEvent } from '../../../domain/event/index.ts';
import type { Clock, EventStore } from '../../../domain/ports/index.ts';

/**
 * Says when there is more in the log. One follower serves all streams: each of them following the log itself would cost the store a
 * connection, and having the events pushed to each would need a queue that a slow reader fills.
 */
export interface Bell {
  join(): Listener;
}

export interface Listener {
  /** Resolves when something stands behind `position`, when the log can't be followed, and when the signal aborts. */
  after(position: Position, signal: AbortSignal): Promise<void>;
  /** When the last has left, the log is no longer followed. */
  leave(): void;
}

/** Before the log is followed again after a failure, ms. */
const pause = 500;

export function createBell(events: () => Pick<EventStore, 'log'>, clock: Clock): Bell {
  const waiting = new Set<{ readonly after: Position; wake(): void }>();
  let joined = 0;
  let last: Position | undefined;
  let follower: AbortController | undefined;

  function heard(batch: readonly RecordedEvent[]): void {
    last = batch.at(-1)?.position ?? last;
    for (const one of [...waiting]) if (isPast(one.after)) one.wake();
  }

  const isPast = (position: Position) => last !== undefined && comparePositions(last, position) > 0;

  async function follow(from: Position, signal: AbortSignal): Promise<void> {
    last = from;
    while (!signal.aborted) {
      try {
        for await (const batch of events().log(last, { follow: signal })) heard(batch);
      } catch {
        // The streams look for themselves and tell their readers what is wrong.
        for (const one of [...waiting]) one.wake();
      }
      if (!signal.aborted) await clock.sleep(pause, signal).catch(() => undefined);
    }
  }

  return {
    join() {
      joined += 1;
      return {
        after: (position, signal) =>
          new Promise((resolve) => {
            if (signal.aborted || isPast(position)) return resolve();
            const one = {
              after: position,
              wake() {
                waiting.delete(one);
                signal.removeEventListener('abort', one.wake);
                resolve();
              },
            };
            waiting.add(one);
            signal.addEventListener('abort', one.wake, { once: true });
            if (follower) return;
            follower = new AbortController();
            void follow(position, follower.signal);
          }),
        leave() {
          joined -= 1;
          if (joined > 0) return;
          follower?.abort();
          follower = undefined;
          last = undefined;
        },
      };
    },
  };
}
