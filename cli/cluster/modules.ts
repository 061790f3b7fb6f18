import type { Clock, Leftovers, Log, Module } from '../../domain/ports/index.ts';

/** Parts of the process in the order they start. */
export interface Modules {
  /** Starts a module; what was started is stopped again in reverse. */
  start<Part extends Module>(part: Part, signal: AbortSignal): Promise<Part>;
  /** Stops all in reverse order within the deadline (ms), each with what is left of it. Never throws. */
  stop(deadline: number): Promise<Leftovers>;
}

/** What a module gets to stop in even when those before it used up the time: closing a socket takes little, but not nothing. */
const atLeast = 500;

export function createModules({ clock, log }: { clock: Clock; log: Log }): Modules {
  const started: Module[] = [];
  return {
    async start(part, signal) {
      signal.throwIfAborted();
      // Listed before it starts: one that fails half way must be stopped too.
      started.push(part);
      await part.start(signal);
      log.debug('started', { module: part.name });
      return part;
    },
    async stop(deadline) {
      const end = clock.monotonic() + deadline;
      const dropped: string[] = [];
      for (const part of started.splice(0).reverse()) {
        // Whole milliseconds: Node's timeouts refuse fractions.
        const left = Math.ceil(Math.max(atLeast, end - clock.monotonic()));
        try {
          const leftovers = await part.stop({ deadline: left });
          dropped.push(...leftovers.dropped.map((what) => `${part.name}: ${what}`));
        } catch (error) {
          log.warn('a module did not stop cleanly', { module: part.name, error });
          dropped.push(`${part.name}: did not stop cleanly`);
        }
      }
      return { dropped };
    },
  };
}
