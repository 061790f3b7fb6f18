import { StoreUnavailable } from '../../domain/errors.ts';
import { functionName, library, source } from './functions/index.ts';
import { asList, asNumber } from './reply.ts';
import type { Argument, Wire } from './wire.ts';

export interface Calls {
  /** Loads the library where it is missing. */
  load(): Promise<void>;
  /** Runs a function; loads the library first when the server does not know it (it was restarted without its data, or flushed). */
  call(name: string, args: readonly Argument[]): Promise<unknown>;
  /** The same, and waits until the disk has it when durability asks for that. */
  callDurably(name: string, args: readonly Argument[]): Promise<unknown>;
}

/** Milliseconds that an answer waits for the disk. Below the deadline of a command, so that the reason is the true one. */
const diskDeadline = 4_000;

export function createCalls(wire: Wire, tag: string, fsync: boolean): Calls {
  let loading: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  const load = (): Promise<void> => {
    loading ??= wire
      .send('FUNCTION', ['LOAD', 'REPLACE', source])
      .then(() => {})
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };

  const call = async (name: string, args: readonly Argument[]): Promise<unknown> => {
    const full = [functionName(name), 1, tag, ...args];
    try {
      return await wire.send('FCALL', full);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await load();
      return wire.send('FCALL', full);
    }
  };

  // One WAITAOF covers every call that was sent before it: those of one tick share it.
  const onDisk = (): Promise<void> => {
    waiting ??= new Promise((resolve, reject) => {
      process.nextTick(() => {
        waiting = undefined;
        wire.send('WAITAOF', [1, 0, diskDeadline]).then((reply) => {
          if (asNumber(asList(reply)[0]) >= 1) resolve();
          else reject(StoreUnavailable({ reason: `the disk took longer than ${diskDeadline} ms` }));
        }, reject);
      });
    });
    return waiting;
  };

  return {
    load,
    call,
    async callDurably(name, args) {
      if (!fsync) return call(name, args);
      const [reply] = await Promise.all([call(name, args), onDisk()]);
      return reply;
    },
  };
}

function isMissing(error: unknown): boolean {
  return StoreUnavailable.is(error) && error.data.reason.startsWith('ERR Function not found');
}

export { library };
