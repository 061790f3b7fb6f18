import { ViewStale } from '../../domain/errors.ts';
import { comparePositions, type Position } from '../../domain/event/index.ts';
import type { Clock } from '../../domain/ports/index.ts';

/** How far a view has come, and who waits for it. */
export interface Progress {
  readonly at: Position;
  /** Goes forward, or elsewhere after a rebuild. Wakes whoever waited for this position or one before it. */
  reach(position: Position): void;
  /** Rejects with `ViewStale` after `deadline` ms. */
  wait(position: Position, deadline: number): Promise<void>;
  reached(position: Position): Promise<void>;
}

export function createProgress(view: string, from: Position, clock: Clock): Progress {
  let at = from;
  const waiting = new Set<{ readonly position: Position; readonly resolve: () => void }>();
  return {
    get at() {
      return at;
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
      });
    },
    async wait(position, deadline) {
      if (comparePositions(position, at) <= 0) return;
      const late = new AbortController();
      try {
        await new Promise<void>((resolve, reject) => {
          const one = { position, resolve };
          waiting.add(one);
          late.signal.addEventListener('abort', () => waiting.delete(one));
          clock.sleep(deadline, late.signal).then(
            () => reject(ViewStale({ view })),
            () => {},
          );
        });
      } finally {
        late.abort();
      }
    },
  };
}
