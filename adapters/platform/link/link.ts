import { ConfigurationInvalid, ShuttingDown } from '../../../domain/errors.ts';
import type { Clock, Dispatcher, Log, Metrics, Module, Session } from '../../../domain/ports/index.ts';
import { type HandshakeHeaders, newId } from '../../../domain/wire/index.ts';
import { createAnswering } from './answer.ts';
import { backoff, spread } from './backoff.ts';
import { type Conversation, converse } from './conversation.ts';
import { dial, placeOf, type TlsTrust } from './dial.ts';
import { createInbox } from './inbox.ts';
import { createOutbox, type Frame } from './outbox.ts';

export interface LinkState {
  /** `waiting`: the last dial failed, the next comes after a pause. */
  readonly phase: 'new' | 'connecting' | 'connected' | 'waiting' | 'stopped';
  /** Epoch ms. */
  readonly since: number;
  /** Dials that failed since the last connection that worked. */
  readonly failures: number;
  /** Why there is no connection. */
  readonly reason?: string;
}

export interface LinkOptions {
  /** `job_0`, `job_1`, ..., `events`: label of metrics and log. */
  readonly name: string;
  readonly url: string;
  /** Asked at each dial. */
  readonly headers: () => HandshakeHeaders;
  /** Absent: what comes in is read and forgotten. */
  readonly requests?: { readonly dispatcher: Dispatcher; readonly session: Session };
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly tls?: TlsTrust;
  /** Larger frames end the connection with 1009. Default 64 MiB. */
  readonly maxFrameBytes?: number;
}

export interface PlatformLink extends Module {
  state(): LinkState;
  /** Moves the link: the connection is closed and the new address dialled at once. Throws `ConfigurationInvalid`. */
  updateUrl(url: string): void;
  /** The headers changed: reconnects. */
  updateHeaders(): void;
  /** Resolves with true when the frame has its place in the queue, which may take as long as the peer is away; with false after the stop. */
  send(frame: Frame): Promise<boolean>;
}

const largestFrame = 64 * 1024 * 1024;
/** A connection that ended sooner did not work: the platform may accept and close, for ever. */
const steady = 10_000;

/** One connection to the platform that is always there or being made. */
export function createPlatformLink(options: LinkOptions): PlatformLink {
  const { name, clock, metrics } = options;
  const maxFrameBytes = options.maxFrameBytes ?? largestFrame;
  const log = options.log.component(`websocket-${name}`);
  const gauge = metrics.gauge('mogenius_operator_websocket_connected', '1 while the connection to the platform stands', ['connection']);
  const unreadable = metrics.counter('mogenius_operator_websocket_frames_dropped_total', 'Frames that could not be read or answered', [
    'connection',
    'reason',
  ]);
  const random = () => clock.random();
  const stopped = new AbortController();
  const work = new AbortController();
  const outbox = createOutbox();
  let url = checked(options.url);
  let state: LinkState = { phase: 'new', since: clock.now(), failures: 0 };
  /** Aborted to begin anew at once: a dial, a pause or a connection ends. */
  let round = new AbortController();
  let conversation: Conversation | undefined;
  let running: Promise<void> | undefined;
  let stopping = false;

  function enter(phase: LinkState['phase'], reason?: string, failures = state.failures): void {
    state = { phase, since: clock.now(), failures, ...(reason === undefined ? {} : { reason }) };
    gauge.set(phase === 'connected' ? 1 : 0, { connection: name });
  }

  const answering = options.requests
    ? createAnswering({
        ...options.requests,
        log,
        maxFrameBytes,
        newId: () => newId(random),
        onUnreadable: (reason) => unreadable.add(1, { connection: name, reason }),
      })
    : undefined;
  const inbox = createInbox({
    running: 50,
    waiting: 50,
    onFull: (full) => conversation?.pause(full),
    async handle(arrived) {
      const answer = await answering?.(arrived, work.signal);
      if (!answer) return;
      await outbox.put({ text: answer.text, label: `answer to ${answer.id}` });
      await options.requests?.dispatcher.replied?.(answer.id);
    },
  });

  async function once(): Promise<void> {
    const signal = round.signal;
    enter('connecting', state.reason);
    try {
      const socket = await dial({ url, headers: options.headers(), tls: options.tls ?? {}, maxFrameBytes, clock, signal });
      const opened = clock.monotonic();
      conversation = converse({
        socket,
        outbox,
        clock,
        onText: (text) => answering && inbox.take({ text, at: clock.now(), late: stopping }),
      });
      conversation.pause(inbox.full);
      // An aborted signal tells nobody any more.
      if (signal.aborted) conversation.close();
      signal.addEventListener('abort', conversation.close, { once: true });
      enter('connected');
      log.info('connected', { to: placeOf(url) });
      const why = await conversation.ended;
      conversation = undefined;
      const failures = clock.monotonic() - opened < steady ? state.failures + 1 : 0;
      enter('waiting', why, signal.aborted ? 0 : failures);
      log.info('connection ended', { reason: why });
      if (!signal.aborted) await clock.sleep(failures > 1 ? backoff(failures, random) : spread(random), signal);
    } catch (error) {
      // Begun anew, not failed.
      if (signal.aborted) return enter('waiting', state.reason, 0);
      const reason = error instanceof Error ? error.message : String(error);
      const failures = state.failures + 1;
      enter('waiting', reason, failures);
      if (failures === 1 || failures % 10 === 0)
        log.warn('the platform cannot be reached; trying on', { to: placeOf(url), reason, failures });
      await clock.sleep(backoff(failures, random), signal);
    }
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      round = new AbortController();
      await once().catch(() => undefined);
    }
  }

  return {
    name: `platform-${name}`,
    state: () => state,
    async start() {
      running ??= run();
    },
    updateUrl(next) {
      if (checked(next) === url) return;
      url = next;
      round.abort();
    },
    updateHeaders: () => round.abort(),
    send: (frame) => outbox.put(frame),
    async stop({ deadline }) {
      stopping = true;
      const done = new AbortController();
      const late = clock.sleep(deadline, done.signal).catch(() => undefined);
      await Promise.race([late, inbox.drained().then(() => (conversation ? outbox.drained() : undefined))]);
      work.abort(ShuttingDown({}));
      const unanswered = inbox.close();
      stopped.abort();
      round.abort();
      await running;
      done.abort();
      enter('stopped');
      return {
        dropped: [
          ...(unanswered > 0 ? [`${name}: ${unanswered} requests without an answer`] : []),
          ...outbox.close().map((label) => `${name}: ${label}`),
        ],
      };
    },
  };
}

function checked(url: string): string {
  const scheme = URL.canParse(url) ? new URL(url).protocol : '';
  if (scheme !== 'ws:' && scheme !== 'wss:') throw ConfigurationInvalid({ text: `the platform's address needs to be a ws or wss URL` });
  return url;
}
