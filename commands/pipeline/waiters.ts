import type { Ended } from './worker.ts';

/** A caller that waits for the outcome of a command. */
export interface Waiter {
  /** How it ended, here or elsewhere; undefined when the time went by or the waiter was cancelled. */
  readonly ended: Promise<Ended | undefined>;
  cancel(): void;
}

/** Callers by the id of the command. One command may have several: a datagram can come twice. */
export interface Waiters {
  wait(command: string, ms: number): Waiter;
  settle(command: string, end: Ended): void;
  has(command: string): boolean;
}

export function createWaiters(sleep: (ms: number, signal: AbortSignal) => Promise<void>): Waiters {
  const waiting = new Map<string, Set<(end: Ended | undefined) => void>>();
  return {
    wait(command, ms) {
      const { promise, resolve } = Promise.withResolvers<Ended | undefined>();
      const timer = new AbortController();
      const callers = waiting.get(command) ?? new Set();
      waiting.set(command, callers);
      const done = (end: Ended | undefined) => {
        callers.delete(done);
        if (callers.size === 0 && waiting.get(command) === callers) waiting.delete(command);
        timer.abort();
        resolve(end);
      };
      callers.add(done);
      sleep(ms, timer.signal).then(
        () => done(undefined),
        () => undefined,
      );
      return { ended: promise, cancel: () => done(undefined) };
    },
    settle(command, end) {
      for (const done of [...(waiting.get(command) ?? [])]) done(end);
    },
    has: (command) => waiting.has(command),
  };
}
