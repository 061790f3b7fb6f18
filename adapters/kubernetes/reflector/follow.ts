import { ClusterRefused } from '../../../domain/errors.ts';
import type { Clock, Log, ObjectChange, Reflector, ReflectorStatus } from '../../../domain/ports/index.ts';
import { backoff } from './backoff.ts';
import { Known } from './known.ts';
import { isGone, type ListWatch } from './list-watch.ts';
import { watchOnce } from './watch-once.ts';

export interface FollowOptions {
  /** For the log: which kind. */
  readonly name: string;
  readonly source: ListWatch;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds without any line or bookmark after which a watch is made anew. The server sends a bookmark about each minute. */
  readonly silence: number;
  readonly signal: AbortSignal;
  readonly handle: (changes: readonly ObjectChange[]) => Promise<void>;
}

const pageSize = 500;
/** A watch that ends sooner and without a word is a refusal in other clothes. */
const shortest = 1_000;
/** A version that is refused so often in a row may come from a server that no longer has it: list again. */
const refusalsUntilRelist = 3;
/** While it keeps failing, it is said again now and then. */
const sayEvery = 12;

/** Follows one kind for good: list, watch, and again. Nothing but the signal ends it. */
export function follow(options: FollowOptions): Reflector {
  const { clock, log, source, signal, name } = options;
  const known = new Known();
  const pauses = backoff(() => clock.random());
  const whole = Promise.withResolvers<void>();
  // Nobody need wait for it.
  whole.promise.catch(() => undefined);
  let state: ReflectorStatus['state'] = 'starting';
  let reason: string | undefined;
  let synced = false;
  let heardAt: number | undefined;
  let resume: string | undefined;
  let refusals = 0;
  let goneBefore = false;

  const heard = () => {
    heardAt = clock.now();
  };
  const well = () => {
    state = synced ? 'watching' : 'starting';
    reason = undefined;
  };
  const ill = (error: unknown) => {
    state = 'failing';
    reason = error instanceof Error ? error.message : String(error);
  };

  async function deliver(changes: readonly ObjectChange[]): Promise<void> {
    if (changes.length === 0) return;
    const again = backoff(() => clock.random());
    for (;;) {
      try {
        await options.handle(changes);
        if (again.failures > 0) well();
        return;
      } catch (error) {
        signal.throwIfAborted();
        ill(error);
        log.error(`changes of ${name} were not handled, they are delivered again`, { reason, changes: changes.length });
        await clock.sleep(again.next(), signal);
      }
    }
  }

  async function list(limit = pageSize): Promise<string> {
    known.relist();
    let next: string | undefined;
    try {
      for (;;) {
        const page = await source.list({ limit, continue: next, signal });
        heard();
        await deliver(known.page(page.items));
        next = page.continue;
        if (next === undefined) {
          await deliver(known.listed(page.resourceVersion));
          return page.resourceVersion;
        }
      }
    } catch (error) {
      // The rest of a long list is no longer kept by the server: take it in one piece.
      if (next !== undefined && isGone(error)) return list(0);
      throw error;
    }
  }

  async function pass(): Promise<void> {
    if (resume === undefined) {
      resume = await list();
      synced = true;
      whole.resolve();
    }
    const began = clock.monotonic();
    let lines = false;
    await watchOnce({
      from: resume,
      source,
      known,
      clock,
      signal,
      deliver,
      silence: options.silence,
      opened() {
        heard();
        well();
      },
      heard() {
        heard();
        lines = true;
        refusals = 0;
        goneBefore = false;
        pauses.reset();
      },
      bookmark(version) {
        resume = version;
      },
    });
    if (!lines && clock.monotonic() - began < shortest) throw new Error('the watch ended at once');
    pauses.reset();
  }

  async function recover(error: unknown): Promise<void> {
    if (isGone(error)) {
      resume = undefined;
      // Once at once; when it happens again before anything was heard, with a pause.
      if (!goneBefore) {
        goneBefore = true;
        log.info(`the watch of ${name} is listed anew`, { reason: error instanceof Error ? error.message : '' });
        return;
      }
    }
    ill(error);
    if (ClusterRefused.is(error) && ++refusals >= refusalsUntilRelist) {
      refusals = 0;
      resume = undefined;
    }
    const missing = ClusterRefused.is(error) && error.data.status === 404;
    if (pauses.failures % sayEvery === 0) log[missing ? 'debug' : 'warn'](`${name} can't be watched, trying again`, { reason });
    await clock.sleep(pauses.next(), signal);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await pass();
      } catch (error) {
        if (signal.aborted) break;
        await recover(error).catch((cause: unknown) => {
          if (!signal.aborted) throw cause;
        });
      }
    }
    state = 'stopped';
    whole.reject(signal.reason);
  }
  void run();

  return {
    status: () => ({
      state,
      synced,
      objects: known.size,
      ...(reason === undefined ? {} : { reason }),
      ...(heardAt === undefined ? {} : { heardAt }),
    }),
    async synced(until) {
      until.throwIfAborted();
      const ends = Promise.withResolvers<never>();
      const giveUp = () => ends.reject(until.reason);
      until.addEventListener('abort', giveUp, { once: true });
      await Promise.race([whole.promise, ends.promise]).finally(() => until.removeEventListener('abort', giveUp));
    },
  };
}
