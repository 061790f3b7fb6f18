import type { Dispatcher, Request, Result } from '../../../domain/ports/index.ts';

/** Answers what the test says and remembers what it was asked. */
export interface DispatcherDouble extends Dispatcher {
  readonly requests: readonly Request[];
  /** Requests that run now, and the most that ever did. */
  readonly running: number;
  readonly most: number;
  /** Until `open`, requests are taken and not answered. */
  hold(): void;
  open(): void;
}

export const echo = (request: Request): Result => ({ status: 'success', data: request.payload ?? null });

export function createDispatcherDouble(answer: (request: Request) => Result | Promise<Result> = echo): DispatcherDouble {
  const requests: Request[] = [];
  let running = 0;
  let most = 0;
  let gate: Promise<void> | undefined;
  let openGate = () => {};
  return {
    requests,
    get running() {
      return running;
    },
    get most() {
      return most;
    },
    hold() {
      gate = new Promise((resolve) => {
        openGate = resolve;
      });
    },
    open() {
      gate = undefined;
      openGate();
    },
    async dispatch(request) {
      requests.push(request);
      running++;
      most = Math.max(most, running);
      if (gate) await gate;
      try {
        return await answer(request);
      } finally {
        running--;
      }
    },
    patterns: () => ({}),
  };
}
