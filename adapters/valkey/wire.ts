import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { Redis } from 'iovalkey';
import { type OperatorError, StoreFull, StoreUnavailable } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports/index.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly database?: number | undefined;
  readonly tls?: TlsOptions | undefined;
}

export interface WireOptions extends Address {
  readonly name: string;
  readonly clock: Clock;
  /** Milliseconds after which a command counts as unanswered. */
  readonly deadline: number;
  readonly onUp?: () => void;
  readonly onDown?: (reason: string) => void;
}

export type Argument = string | number;

/** One socket to Valkey. It connects when made and again when it breaks, with jitter, until it is closed. */
export interface Wire {
  readonly up: boolean;
  /** Why it is down, for people. */
  readonly reason: string;
  /** Resolves when the socket is up; rejects with the signal's reason, or StoreUnavailable when it is closed. */
  whenUp(signal: AbortSignal): Promise<void>;
  /** Sends now or throws StoreUnavailable now: nothing waits for a connection. Settles in any case, after `deadline` at the latest. */
  send(command: string, args: readonly Argument[], deadline?: number): Promise<unknown>;
  /** Breaks the socket, so that a fresh one is made. What is under way settles as unavailable. */
  reset(reason: string): void;
  close(): void;
}

export function createWire(options: WireOptions): Wire {
  const { clock } = options;
  const underWay = new Set<(error: OperatorError) => void>();
  let reason = 'not connected yet';
  let up = false;
  let closed = false;
  const waiting = new Set<() => void>();
  const redis = new Redis({
    host: options.host,
    port: options.port,
    db: options.database ?? 0,
    ...(options.username === undefined ? {} : { username: options.username }),
    ...(options.password === undefined ? {} : { password: options.password }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    connectionName: options.name,
    connectTimeout: 5_000,
    keepAlive: 10_000,
    retryStrategy: (times) => Math.round(Math.min(5_000, 50 * 2 ** Math.min(times, 7)) * (0.5 + clock.random() / 2)),
    // Sent again after a reconnect, a command would run twice; left in a queue, it would wait without end. Both are for the caller to decide.
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: null,
    enableAutoPipelining: false,
  });

  const down = (why: string) => {
    const was = up;
    up = false;
    reason = why;
    // The client never settles what was under way when its socket broke.
    for (const fail of [...underWay]) fail(StoreUnavailable({ reason: why }));
    if (was) options.onDown?.(why);
  };
  redis.on('ready', () => {
    up = true;
    for (const wake of [...waiting]) wake();
    options.onUp?.();
  });
  redis.on('error', (error: Error) => {
    if (!up) reason = explain(error);
  });
  redis.on('close', () => down(up ? 'the connection broke' : reason));

  let corked = false;
  const cork = () => {
    if (corked) return;
    corked = true;
    // One write for all commands of a tick: a system call each would cost more than the commands.
    const { stream } = redis;
    stream.cork();
    process.nextTick(() => {
      corked = false;
      stream.uncork();
    });
  };

  const send = (command: string, args: readonly Argument[], deadline = options.deadline): Promise<unknown> => {
    if (!up) return Promise.reject(StoreUnavailable({ reason }));
    cork();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reset(`no answer within ${deadline} ms`), deadline);
      const settle = () => {
        clearTimeout(timer);
        underWay.delete(fail);
      };
      const fail = (error: OperatorError) => {
        settle();
        reject(error);
      };
      underWay.add(fail);
      redis.call(command, ...args).then(
        (reply: unknown) => {
          settle();
          resolve(reply);
        },
        (error: unknown) => fail(asStoreError(error)),
      );
    });
  };

  const reset = (why: string) => {
    down(why);
    redis.disconnect(true);
  };

  return {
    get up() {
      return up;
    },
    get reason() {
      return reason;
    },
    send,
    whenUp: (signal) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!up && !closed && !signal.aborted) return;
          waiting.delete(look);
          signal.removeEventListener('abort', look);
          if (signal.aborted) reject(signal.reason);
          else if (up) resolve();
          else reject(StoreUnavailable({ reason }));
        };
        waiting.add(look);
        signal.addEventListener('abort', look);
        look();
      }),
    reset,
    close() {
      closed = true;
      down('closed');
      redis.disconnect();
      for (const wake of [...waiting]) wake();
    },
  };
}

/**
 * What an error reply means for the caller. Whether a function had written before it failed is not known: unavailable. The client's own
 * error is not passed on as the cause: it carries the command with all its arguments, and whoever prints it prints them.
 */
export function asStoreError(error: unknown): OperatorError {
  const text = explain(error);
  if (text.startsWith('OOM ')) return StoreFull({});
  return StoreUnavailable({ reason: text });
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error';
  return 'code' in error && typeof error.code === 'string' && error.message === '' ? error.code : error.message;
}
