import {
  type CommandAccepted,
  commandAccepted,
  commandStepped,
  decideAfterFailure,
  decideAttempt,
  expired,
} from '../../domain/command/index.ts';
import { asOperatorError, DeadlineExceeded, type OperatorError, RequestInvalid, SealExpired } from '../../domain/errors.ts';
import type { NewEvent } from '../../domain/event/index.ts';
import type { Claim, Finish } from '../../domain/ports/index.ts';
import { type CommandContext, type CommandPattern, decodeRequest, type Effect } from '../registry/index.ts';
import { type Active, type ActiveCommands, ClaimLost } from './active.ts';
import { guardWrites } from './guard.ts';
import { afterDeadline, type PipelineOptions, type PipelinePoint } from './options.ts';

/** How an attempt ended: with an outcome to append, with a reason to park, or without the right to say anything. */
export type Attempted =
  | { readonly finish: Omit<Finish, 'claim'> }
  | { readonly park: NewEvent; readonly reason: string }
  /** Given back, to be claimed again after so many ms: another release may know how. */
  | { readonly giveBack: number }
  | { readonly lost: true };

interface Work {
  readonly active: Active;
  readonly actives: ActiveCommands;
  readonly accepted: CommandAccepted;
  readonly pattern: CommandPattern;
  readonly options: PipelineOptions;
}

/** Runs one claimed command up to its outcome. Causes the effect; appends nothing but steps. */
export async function attempt(active: Active, actives: ActiveCommands, options: PipelineOptions): Promise<Attempted> {
  const { claim } = active;
  const { clock } = options.ports;
  const accepted = commandAccepted.parse(claim.accepted.data);
  const pattern = options.registry.find(accepted.pattern);
  const event = eventMaker(claim, () => clock.now());
  const decided = decideAttempt({
    attempt: claim.attempt,
    now: clock.now(),
    deadline: Date.parse(accepted.deadline),
    maxAttempts: options.maxAttempts,
    grace: afterDeadline,
  });
  await options.probe?.('decided', claim.command);

  if (decided.do === 'park')
    return { park: event('CommandParked', { reason: decided.reason, attempts: claim.attempt - 1 }), reason: decided.reason };
  if (pattern?.type !== 'command') {
    // While releases are exchanged, another replica may be newer.
    if (claim.attempt < options.maxAttempts) return { giveBack: (options.lease / 10) * claim.attempt };
    const reason = `this release has no handler for ${accepted.pattern}`;
    return { park: event('CommandParked', { reason, attempts: claim.attempt }), reason };
  }
  if (decided.do === 'expire') return { finish: { event: failed(event, expired(accepted.pattern, accepted.deadline), accepted) } };

  const timer = new AbortController();
  clock.sleep(decided.within, timer.signal).then(
    () => active.cut.abort(DeadlineExceeded({ pattern: accepted.pattern, deadline: `${Math.round(decided.within / 1000)} s` })),
    () => undefined,
  );
  try {
    return { finish: await succeed({ active, actives, accepted, pattern, options }, event, clock.monotonic() + decided.within) };
  } catch (error) {
    if (error instanceof ClaimLost) return { lost: true };
    const known = asOperatorError(error, claim.command);
    if (known.handling === 'bug') options.ports.log.error('a handler failed', { command: claim.command, pattern: accepted.pattern, error });
    return { finish: { event: failed(event, known, accepted) } };
  } finally {
    timer.abort();
  }
}

async function succeed(work: Work, event: ReturnType<typeof eventMaker>, end: number): Promise<Omit<Finish, 'claim'>> {
  const { active, accepted, pattern, options } = work;
  const request = decodeRequest(pattern.request, requestOf(active.claim, accepted, options));
  const effect = await perform(work, request, end);
  const result = options.audit.redact(effect.result);
  const resultSealed = result !== effect.result;
  const described = options.audit.describe(effect.before, effect.after);
  return {
    event: event('CommandSucceeded', {
      result: result ?? null,
      ...(described.attribution
        ? { attribution: described.attribution }
        : accepted.attribution
          ? { attribution: accepted.attribution }
          : {}),
      ...(described.diff ? { diff: described.diff } : {}),
      ...(resultSealed ? { resultSealed } : {}),
    }),
    ...(effect.observations ? { observations: effect.observations } : {}),
    ...(resultSealed ? { sealed: options.sealer.seal(JSON.stringify(effect.result), active.claim.command) } : {}),
  };
}

/** Tries the effect until it is done, refused, or out of time. What passes (an API server that restarts) is not yet an outcome. */
async function perform(work: Work, request: unknown, end: number): Promise<Effect<unknown>> {
  const { active, accepted, pattern, options } = work;
  const { clock, log } = options.ports;
  const context = contextOf(work);
  for (let tries = 1; ; tries++) {
    try {
      return await pattern.handle(request, context);
    } catch (error) {
      const { signal } = active.cut;
      if (signal.aborted) throw signal.reason;
      const known = asOperatorError(error, active.claim.command);
      const next = decideAfterFailure({
        error: known,
        pattern: accepted.pattern,
        tries,
        left: end - clock.monotonic(),
        random: clock.random(),
      });
      if (next.do === 'fail') throw known.handling === 'bug' ? error : next.error;
      log.debug('an effect is tried again', { command: active.claim.command, tries, error: known.message });
      await clock.sleep(next.delay, signal).catch(() => {
        throw signal.reason;
      });
    }
  }
}

function contextOf({ active, actives, accepted, options }: Work): CommandContext {
  const { claim, cut } = active;
  const { ports, commandLog, probe } = options;
  const event = eventMaker(claim, () => ports.clock.now());
  const steps = new Map(claim.steps.map(({ data }) => commandStepped.parse(data)).map((step) => [step.name, step]));
  const at = async (point: PipelinePoint) => {
    await probe?.(point, claim.command);
  };
  return {
    ...ports,
    cluster: guardWrites(ports.cluster, {
      async before() {
        await at('before-effect');
        // Last of all: whoever was stopped until now must not act on what it held before.
        actives.assertHeld(active);
      },
      after: () => at('after-effect'),
    }),
    command: { id: claim.command, attempt: claim.attempt },
    actor: claim.accepted.actor ?? { source: 'operator' },
    ...(accepted.workspace === undefined ? {} : { workspace: accepted.workspace }),
    signal: cut.signal,
    recorded: (name) => steps.get(name)?.data,
    async record(name, data) {
      const n = steps.get(name)?.n ?? steps.size + 1;
      await at('before-record');
      if ((await commandLog.step(claim, n, event('CommandStepped', { n, name, data }))) === 'lost') throw new ClaimLost(claim.command);
      steps.set(name, { n, name, data });
      await at('recorded');
    },
  };
}

function requestOf(claim: Claim, accepted: CommandAccepted, { sealer }: PipelineOptions): unknown {
  if (claim.sealed) {
    const opened: unknown = JSON.parse(sealer.open(claim.sealed, claim.command));
    return opened;
  }
  // A redacted payload without its sealed original must not be acted on: the marks would become values.
  if (containsMarks(accepted.payload)) throw SealExpired({ id: claim.command });
  return accepted.payload;
}

const containsMarks = (payload: unknown): boolean => JSON.stringify(payload ?? null).includes('***[REDACTED');

/** Events of one command, each caused by its acceptance. */
export function eventMaker(claim: Pick<Claim, 'command' | 'accepted'>, now: () => number) {
  return <Type extends string, Data>(type: Type, data: Data): NewEvent<Type, Data> => ({
    type,
    schema: 1,
    time: new Date(now()).toISOString(),
    data,
    commandid: claim.command,
    causationid: claim.accepted.id,
    correlationid: claim.accepted.correlationid ?? claim.command,
    ...(claim.accepted.actor ? { actor: claim.accepted.actor } : {}),
  });
}

function failed(event: ReturnType<typeof eventMaker>, error: OperatorError, accepted: CommandAccepted): NewEvent {
  const { code, message, status } = error;
  return event('CommandFailed', {
    error: { code, message, status },
    ...(accepted.attribution ? { attribution: accepted.attribution } : {}),
  });
}

/** A request that says it is redacted would be refused on its second attempt: it is refused at once instead. */
export function assertNoMarks(payload: unknown): void {
  if (containsMarks(payload)) throw RequestInvalid({ text: 'the payload carries a redaction mark (***[REDACTED…) in place of a value' });
}
