import type { Claim, Clock, CommandLog, Log } from '../../domain/ports/index.ts';

/** A command this process works on. */
export interface Active {
  readonly claim: Claim;
  /** Aborted with the error that says why: deadline, cancelled, claim lost, shutdown. */
  readonly cut: AbortController;
  /** Monotonic ms of the last proof that the claim is ours. */
  provenAt: number;
}

export interface ActiveCommands {
  readonly size: number;
  add(claim: Claim): Active;
  remove(active: Active): void;
  get(command: string): Active | undefined;
  all(): Iterable<Active>;
  /** Throws when the claim can't be ours any more by the monotonic clock: a process that was stopped must not act on what it held before. */
  assertHeld(active: Active): void;
  /** Renews claims until the signal aborts. */
  renew(signal: AbortSignal): Promise<void>;
}

/** Thrown into a handler whose claim is held by somebody else now. Never leaves the pipeline. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

export function createActiveCommands({
  commandLog,
  clock,
  log,
  lease,
}: {
  commandLog: CommandLog;
  clock: Clock;
  log: Log;
  lease: number;
}): ActiveCommands {
  const active = new Map<string, Active>();

  async function renewOne(one: Active): Promise<void> {
    const asked = clock.monotonic();
    try {
      if ((await commandLog.renew(one.claim, lease)) === 'renewed') one.provenAt = asked;
      else one.cut.abort(new ClaimLost(one.claim.command));
    } catch (error) {
      // The store may be away for a moment; assertHeld stops the handler when it stays away past the lease.
      log.warn('a claim could not be renewed', { command: one.claim.command, error });
    }
  }

  return {
    get size() {
      return active.size;
    },
    add(claim) {
      const one = { claim, cut: new AbortController(), provenAt: clock.monotonic() };
      active.set(claim.command, one);
      return one;
    },
    remove(one) {
      if (active.get(one.claim.command) === one) active.delete(one.claim.command);
    },
    get: (command) => active.get(command),
    all: () => active.values(),
    assertHeld(one) {
      if (one.cut.signal.aborted) throw one.cut.signal.reason;
      if (clock.monotonic() - one.provenAt >= lease) {
        one.cut.abort(new ClaimLost(one.claim.command));
        throw one.cut.signal.reason;
      }
    },
    async renew(signal) {
      const interval = lease / 3;
      while (!signal.aborted) {
        await clock.sleep(interval, signal).catch(() => undefined);
        const due = [...active.values()].filter(({ provenAt }) => clock.monotonic() - provenAt >= interval / 2);
        await Promise.all(due.map(renewOne));
      }
    },
  };
}
