import { StoreUnavailable } from '../../domain/errors.ts';
import { functionName, library, source } from './functions/index.ts';
import { asList, asNumber } from './reply.ts';
import { createTogether } from './together.ts';
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

/** What many callers do at once. `plain` may be refused at `maxmemory`, the others must not be. */
const plain = new Set(['append', 'observe', 'accept']);
const atMaxmemory = new Set(['finish', 'step', 'renew']);

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

  const alone = async (name: string, args: readonly Argument[]): Promise<unknown> => {
    const full = [functionName(name), 1, tag, ...args];
    try {
      return await wire.send('FCALL', full);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await load();
      return wire.send('FCALL', full);
    }
  };
  const plainTogether = createTogether((args) => alone('together', args), alone);
  const otherTogether = createTogether((args) => alone('together_at_maxmemory', args), alone);
  const call = (name: string, args: readonly Argument[]): Promise<unknown> =>
    plain.has(name) ? plainTogether(name, args) : atMaxmemory.has(name) ? otherTogether(name, args) : alone(name, args);

  // One WAITAOF covers every call that was sent before it: those of one tick share it.
  const onDisk = (): Promise<void> => {
    waiting ??= new Promise((resolve, reject) => {
      // Not before the calls of this tick have left: they leave at its end.
      setImmediate(() => {
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
