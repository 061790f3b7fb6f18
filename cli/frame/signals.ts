import { constants } from 'node:os';

/** The part of `process` that is needed here. */
interface Receiver {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

/** Aborts with the first signal; the second one is from somebody who doesn't want to wait: it ends the process at once with 128 + its number. */
export function stopSignal(receiver: Receiver, end: (code: number) => void): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    receiver.on(name, () => {
      if (stop.signal.aborted) end(128 + constants.signals[name]);
      else stop.abort(name);
    });
  return stop.signal;
}
