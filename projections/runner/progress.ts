import { ViewStale } from '../../domain/errors.ts';
import { comparePositions, type Position } from '../../domain/event/index.ts';
import type { Clock } from '../../domain/ports/index.ts';

/** The reason with which a deadline is taken away: one for all, because making an error costs more than the wait. */
const over = new Error('the wait is over');

/** How far a view has come, and who waits for it. */
export interface Progress {
  readonly at: Position;
  /** Whether somebody waits now. */
  readonly awaited: boolean;
  /** Goes forward, or elsewhere after a rebuild. Wakes whoever waited for this position or one before it. */
  reach(position: Position): void;
  /** Rejects with `ViewStale` after `deadline` ms. */
  wait(position: Position, deadline: number): Promise<void>;
  reached(position: Position): Promise<void>;
}

/** `onWait` is told when somebody begins to wait. */
export function createProgress(view: string, from: Position, clock: Clock, onWait = () => {}): Progress {
  let at = from;
  const waiting = new Set<{ readonly position: Position; readonly resolve: () => void }>();
  return {
    get at() {
      return at;
    },
    get awaited() {
      return waiting.size > 0;
    },
    reach(position) {
      at = position;
      for (const one of waiting) if (comparePositions(one.position, at) <= 0) one.resolve();
    },
    reached(position) {
      if (comparePositions(position, at) <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const one = {
          position,
          resolve() {
            waiting.delete(one);
            resolve();
          },
        };
        waiting.add(one);
        onWait();
      });
    },
    async wait(position, deadline) {
      if (comparePositions(position, at) <= 0) return;
      const late = new AbortController();
      try {
        await new Promise<void>((resolve, reject) => {
          const one = { position, resolve };
          waiting.add(one);
          onWait();
          late.signal.addEventListener('abort', () => waiting.delete(one));
          clock.sleep(deadline, late.signal).then(
            () => reject(ViewStale({ view })),
            () => {},
          );
        });
      } finally {
        late.abort(over);
      }
    },
  };
}
