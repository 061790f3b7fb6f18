import { asOperatorError, CommandParked, StoreUnavailable } from '../../domain/errors.ts';
import type { RecordedEvent } from '../../domain/event/index.ts';
import type { Claim, Finish, Finished } from '../../domain/ports/index.ts';
import { createActiveCommands } from './active.ts';
import { attempt } from './attempt.ts';
import type { PipelineOptions } from './options.ts';

/** What became of a claimed command. */
export type Ended =
  | {
      readonly type: 'outcome';
      readonly event: RecordedEvent;
      readonly sealed?: Uint8Array /** last position written */;
      readonly position: RecordedEvent['position'];
    }
  | { readonly type: 'parked'; readonly reason: string }
  /** Somebody else has it, or the store did not say: the log will tell. */
  | { readonly type: 'elsewhere' }
  | { readonly type: 'unavailable'; readonly error: unknown };

export interface Worker {
  /** Places left for claims. */
  free(): number;
  /** Whether a command is worked on, or was a moment ago: whoever sends one after another counts as busy between them. */
  busy(): boolean;
  /** Works on a claim made in an accepting call. */
  take(claim: Claim): void;
  /** Tells that a queue moved on: something may be claimable now. */
  kick(): void;
  /** Whether this process works on it. */
  has(command: string): boolean;
  cancel(command: string, reason: Error): boolean;
  /** Claims and works until the signal aborts; resolves when `drain` is over. */
  run(signal: AbortSignal): Promise<void>;
  /** Waits for the commands under way, at most `deadline` ms; those cut off are given back and named. */
  drain(deadline: number): Promise<readonly string[]>;
}

const idlePoll = 500;
const busyPoll = 50;
/** ms */
const moment = 250;

/** Works on claimed commands: this process's own and those that another one left behind. `expectsMore` tells whether local callers wait for queued commands. */
export function createWorker(options: PipelineOptions, ended: (claim: Claim, end: Ended) => void, expectsMore: () => boolean): Worker {
  const { commandLog, ports, owner, lease, concurrency } = options;
  const { clock, log } = ports;
  const actives = createActiveCommands({ commandLog, clock, log, lease });
  const running = new Set<Promise<void>>();
  let nudge = new AbortController();
  let stopping = false;
  let lastEnded = Number.NEGATIVE_INFINITY;
  /** Claims are renewed until the last command is done: a drain may take longer than a claim lasts. */
  const drained = new AbortController();

  async function work(claim: Claim): Promise<void> {
    const active = actives.add(claim);
    await options.probe?.('claimed', claim.command);
    try {
      const result = await attempt(active, actives, options);
      if ('giveBack' in result) await commandLog.release(claim, result.giveBack);
      if ('giveBack' in result || 'lost' in result) return ended(claim, { type: 'elsewhere' });
      if ('park' in result) {
        const parked = await commandLog.park(claim, result.park, result.reason);
        return ended(claim, parked === 'parked' ? { type: 'parked', reason: result.reason } : { type: 'elsewhere' });
      }
      await finish({ claim, ...result.finish });
    } catch (error) {
      // Only the store throws here. The claim runs out and whoever takes it over finds what was done.
      log.warn('a command could not be finished', { command: claim.command, error });
      ended(claim, { type: 'unavailable', error });
    } finally {
      actives.remove(active);
    }
  }

  async function finish(what: Finish): Promise<void> {
    await options.probe?.('before-finish', what.claim.command);
    let told = false;
    for (let tries = 1; ; tries++) {
      try {
        const finished = await commandLog.finish(what);
        await options.probe?.('finished', what.claim.command);
        return ended(what.claim, endOf(finished, what.sealed));
      } catch (error) {
        if (!StoreUnavailable.is(error) || stopping) throw error;
        // The answer is not known: the same call again is safe, its append id is the command's. Who waits is told now.
        if (!told) ended(what.claim, { type: 'unavailable', error });
        told = true;
        await clock.sleep(Math.min(100 * 2 ** tries, 5_000) * (0.8 + 0.4 * clock.random()));
      }
    }
  }

  function start(claim: Claim): void {
    const done: Promise<void> = work(claim).finally(() => {
      running.delete(done);
      lastEnded = clock.monotonic();
      if (expectsMore()) nudge.abort();
    });
    running.add(done);
  }

  async function claimSome(): Promise<number> {
    const limit = concurrency - actives.size;
    if (limit <= 0) return 0;
    const claims = await commandLog.claim({ owner, lease, limit });
    for (const claim of claims) start(claim);
    return claims.length;
  }

  async function pause(signal: AbortSignal): Promise<void> {
    const next = await commandLog.nextClaimable();
    const wait = Math.max(1, Math.min(next ?? idlePoll, expectsMore() ? busyPoll : idlePoll));
    await clock.sleep(wait, AbortSignal.any([signal, nudge.signal])).catch(() => undefined);
    if (nudge.signal.aborted) nudge = new AbortController();
  }

  return {
    free: () => (stopping ? 0 : concurrency - actives.size),
    busy: () => actives.size > 0 || clock.monotonic() - lastEnded < moment,
    take: start,
    kick: () => nudge.abort(),
    has: (command) => actives.get(command) !== undefined,
    cancel(command, reason) {
      const active = actives.get(command);
      active?.cut.abort(reason);
      return active !== undefined;
    },
    async run(signal) {
      const renewing = actives.renew(drained.signal);
      let failures = 0;
      while (!signal.aborted) {
        try {
          if ((await claimSome()) === 0) await pause(signal);
          failures = 0;
        } catch (error) {
          failures++;
          if (failures === 1) log.warn('no commands can be claimed', { error: asOperatorError(error, owner).message });
          await clock.sleep(Math.min(100 * 2 ** failures, 5_000) * (0.8 + 0.4 * clock.random()), signal).catch(() => undefined);
        }
      }
      await renewing;
    },
    async drain(deadline) {
      stopping = true;
      const timer = new AbortController();
      await Promise.race([Promise.allSettled([...running]), clock.sleep(deadline, timer.signal).catch(() => undefined)]);
      timer.abort();
      const left = [...actives.all()];
      // Given back, another replica may take them at once instead of waiting for the lease to run out.
      await Promise.allSettled(left.map((active) => commandLog.release(active.claim, 0)));
      for (const active of left) active.cut.abort(CommandParked({ id: active.claim.command, reason: 'the process stopped' }));
      drained.abort();
      return left.map(({ claim }) => claim.command);
    },
  };
}

function endOf(finished: Finished, sealed: Uint8Array | undefined): Ended {
  switch (finished.outcome) {
    case 'finished':
      return { type: 'outcome', event: finished.event, position: finished.position, ...(sealed ? { sealed } : {}) };
    case 'duplicate':
      return {
        type: 'outcome',
        event: finished.event,
        position: finished.event.position,
        ...(finished.sealed ? { sealed: finished.sealed } : {}),
      };
    case 'lost':
      return { type: 'elsewhere' };
  }
}
