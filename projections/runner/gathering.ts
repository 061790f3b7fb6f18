import type { Clock } from '../../domain/ports/index.ts';

/** Lets events gather before a follower reads on: a batch of ten costs little more than one event. Ends at once when somebody waits for a view. */
export interface Gathering {
  /** For `EventStore.log`: awaited between two reads at the log's end. */
  pause(signal: AbortSignal): Promise<void>;
  /** Somebody waits. */
  hurry(): void;
}

/** ms. Below what a person notices, and above what a command takes, so that its acceptance and its outcome are read together. */
const longest = 20;

/** The reason with which a pause is ended: one for all, because making an error costs more than the rest. */
const over = new Error('the pause is over');

export function createGathering(clock: Clock, isAwaited: () => boolean): Gathering {
  let current: AbortController | undefined;
  return {
    async pause(signal) {
      if (signal.aborted || isAwaited()) return;
      const mine = new AbortController();
      current = mine;
      const stop = () => mine.abort(over);
      signal.addEventListener('abort', stop);
      await clock.sleep(longest, mine.signal).catch(() => undefined);
      signal.removeEventListener('abort', stop);
      if (current === mine) current = undefined;
    },
    hurry: () => current?.abort(over),
  };
}
