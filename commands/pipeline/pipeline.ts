import { outcomeTypes } from '../../domain/command/index.ts';
import {
  asOperatorError,
  CommandCancelled,
  CommandIdReused,
  CommandParked,
  DeadlineExceeded,
  OperatorError,
  QueueFull,
  ShuttingDown,
  UserRequired,
} from '../../domain/errors.ts';
import { comparePositions, origin, type Position, type RecordedEvent } from '../../domain/event/index.ts';
import type { Dispatcher, Module, Request, Result, Session } from '../../domain/ports/index.ts';
import { type CommandPattern, decodeRequest, failure, type Pattern, type QueryPattern, success } from '../registry/index.ts';
import { acceptanceOf } from './acceptance.ts';
import { answerFrom } from './answers.ts';
import { freshnessDeadline, type PipelineOptions, queryDeadline } from './options.ts';
import { createWaiters } from './waiters.ts';
import { createWorker } from './worker.ts';

export interface Pipeline extends Dispatcher, Module {
  /** Told of every event that the log's reader sees, so that callers here learn of outcomes written elsewhere. */
  seen(event: RecordedEvent): void;
  /** Cuts off a command that this process works on; its outcome is COMMAND_CANCELLED, unless the effect was faster. */
  cancel(command: string): boolean;
  /**
   * Waits, bounded, until the views have seen what was finished before the call, on whatever replica, and `position`. A sentence when they have
   * not: an answer from them may be stale.
   */
  fresh(views: readonly string[], position?: Position): Promise<string | undefined>;
  /** Whether this process works on a command, or did a moment ago: what nobody waits for can let it go first. */
  busy(): boolean;
}

interface Outcome {
  readonly event: RecordedEvent;
  readonly sealed?: Uint8Array;
  readonly position?: RecordedEvent['position'];
}

/** The views that queries read unless they say otherwise. */
const usualViews = ['directory'];

/** How long a caller waits past the deadline for the outcome that says so. */
const outcomeGrace = 2_000;

/** From request to answer: validated, accepted, in order per aggregate, handled once in effect, answered from the log. It knows no pattern by name. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { registry, commandLog, sealer, ports, metrics } = options;
  const { clock, log } = ports;
  const durations = metrics.histogram('mogenius_operator_pattern_duration_seconds', 'Time from request to answer, by pattern.', ['path']);
  const waiters = createWaiters((ms, signal) => clock.sleep(ms, signal));
  /** Commands of local callers whose claim somebody, here or elsewhere, has yet to make. */
  const queued = new Set<string>();
  const stop = new AbortController();
  let running: Promise<void> | undefined;

  const worker = createWorker(
    options,
    ({ command }, end) => {
      queued.delete(command);
      waiters.settle(command, end);
    },
    () => queued.size > 0,
  );

  async function runCommand(request: Request, pattern: CommandPattern, session: Session): Promise<Result> {
    if (stop.signal.aborted) throw ShuttingDown({});
    const acceptance = acceptanceOf(request, pattern, options);
    const { id } = request;
    const wait = () => waiters.wait(id, acceptance.deadline - clock.now() + outcomeGrace);
    let waiter = wait();
    try {
      await options.probe?.('before-accept', id);
      const accepted = await commandLog.accept({
        ...acceptance,
        ...(worker.free() > 0 ? { claim: { owner: options.owner, lease: options.lease } } : {}),
      });
      await options.probe?.('accepted', id);
      if (accepted.outcome === 'mismatch') throw CommandIdReused({ id });
      if (accepted.outcome === 'full') throw QueueFull({});
      if (accepted.outcome === 'finished') return answerOf(accepted, pattern, session, id);
      if (accepted.outcome === 'accepted' && accepted.claim) worker.take(accepted.claim);
      else {
        queued.add(id);
        worker.kick();
      }
      for (;;) {
        const end = await waiter.ended;
        if (end?.type === 'outcome') return answerOf(end, pattern, session, id);
        if (end?.type === 'parked') throw CommandParked({ id, reason: end.reason });
        if (end?.type === 'unavailable') throw end.error;
        // Written by another replica, taken over by it and not done, or too late. Asked again, the log gives the outcome with what was
        // sealed beside it; the new waiter comes first, or an outcome in between would be missed.
        waiter = wait();
        const again = await commandLog.accept(acceptance);
        if (again.outcome === 'finished') return answerOf(again, pattern, session, id);
        if (end === undefined) throw DeadlineExceeded({ pattern: pattern.pattern, deadline: `${pattern.deadline / 1000} s` });
      }
    } finally {
      waiter.cancel();
      if (!waiters.has(id)) queued.delete(id);
    }
  }

  function answerOf({ event, sealed, position }: Outcome, pattern: Pattern, session: Session, id: string): Result {
    session.position = later(session.position, position ?? event.position);
    return answerFrom(event, pattern, { id, sealer, ...(sealed ? { sealed } : {}) });
  }

  async function answerQuery(request: Request, pattern: QueryPattern, session: Session, signal: AbortSignal): Promise<Result> {
    const decoded = decodeRequest(pattern.request, request.payload);
    const stale = await fresh(pattern.reads ?? usualViews, session.position);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(queryDeadline)]);
    const answer = await pattern.answer(decoded, { ...ports, signal: limit });
    return success(pattern.response, answer, stale);
  }

  async function fresh(reads: readonly string[], position: Position = origin): Promise<string | undefined> {
    if (reads.length === 0) return undefined;
    let wanted = position;
    try {
      wanted = later(wanted, await commandLog.mark());
    } catch {
      return "this answer may be stale: the event log can't be reached";
    }
    try {
      await Promise.all(reads.map((view) => options.waitFor(view, wanted, freshnessDeadline)));
      return undefined;
    } catch {
      return 'this answer may be stale: the view has not caught up with the log';
    }
  }

  async function dispatch(request: Request, { session, signal }: { session: Session; signal: AbortSignal }): Promise<Result> {
    const pattern = registry.find(request.pattern);
    if (!pattern) return { status: 'error', message: `No handler for pattern '${request.pattern}' found`, unknownPattern: true };
    const started = clock.monotonic();
    try {
      await options.probe?.('received', request.id);
      if (pattern.needsUser && !request.actor.email) throw UserRequired({ pattern: request.pattern });
      const result = await (pattern.type === 'command'
        ? runCommand(request, pattern, session)
        : answerQuery(request, pattern, session, signal));
      await options.probe?.('before-reply', request.id);
      return result;
    } catch (error) {
      if (!(error instanceof OperatorError)) log.error('a request failed', { id: request.id, pattern: request.pattern, error });
      return failure(
        pattern.response,
        signal.aborted && pattern.type === 'query' ? CommandCancelled({ id: request.id }) : asOperatorError(error, request.id),
      );
    } finally {
      durations.observe((clock.monotonic() - started) / 1000, { path: request.pattern });
    }
  }

  return {
    name: 'commands',
    dispatch,
    ...(options.probe ? { replied: (id: string) => options.probe?.('replied', id) } : {}),
    patterns: () => registry.describe(),
    seen({ commandid, type }) {
      // Our own worker tells with less delay, and knows what was sealed.
      if (commandid === undefined || !outcomeTypes.has(type) || !waiters.has(commandid) || worker.has(commandid)) return;
      waiters.settle(commandid, { type: 'elsewhere' });
    },
    cancel: (command) => worker.cancel(command, CommandCancelled({ id: command })),
    busy: worker.busy,
    fresh,
    async start() {
      running = worker.run(stop.signal);
    },
    async stop({ deadline }) {
      stop.abort();
      const cutOff = await worker.drain(deadline);
      await running;
      return { dropped: cutOff.map((id) => `command ${id}: given back, another replica or the next start finishes it`) };
    },
  };
}

const later = (a: Session['position'], b: Session['position']): Session['position'] => (comparePositions(a, b) >= 0 ? a : b);
