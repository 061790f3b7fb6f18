import { processIo, stopSignal } from './frame/index.ts';

// The handlers stand before anything else is loaded: a signal in the first milliseconds must not be lost.
const signal = stopSignal(process, process.exit);
const { invoke } = await import('./invoke.ts');

process.exit(await invoke(process.argv.slice(2), processIo(signal)));
