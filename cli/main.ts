import { constants } from 'node:os';
import { processIo } from './frame/index.ts';
import { invoke } from './invoke.ts';

// The handlers stand before anything else is loaded: a signal in the first milliseconds must not be lost.
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    // The second one is from somebody who doesn't want to wait.
    if (stop.signal.aborted) process.exit(128 + constants.signals[name]);
    stop.abort(name);
  });

process.exit(await invoke(process.argv.slice(2), processIo(stop.signal)));
