import type { Actor, Position } from '../event/index.ts';

/** A request as it came in, on whatever link. */
export interface Request {
  /** Never empty: the link made one when the sender gave none. */
  readonly id: string;
  readonly pattern: string;
  /** Decoded, not yet validated. Absent and null are the same. */
  readonly payload: unknown;
  readonly actor: Actor;
  readonly workspace?: string;
  /** Epoch ms. */
  readonly receivedAt: number;
}

/** The answer to a request: the `payload` of a response datagram, see docs/commands.md. Key order is the wire's. */
export type Result =
  | { readonly status: 'success'; readonly message?: string; readonly data: unknown }
  | { readonly status: 'error'; readonly message: string; readonly statusCode: number; readonly data: unknown }
  /** A pattern nobody serves: on the wire without statusCode and data. */
  | { readonly status: 'error'; readonly message: string; readonly unknownPattern: true };

/** What reads its own writes shares: one connection, one HTTP client. It remembers how far the log must be read before its queries are answered. */
export interface Session {
  position: Position;
}

export interface Dispatcher {
  /** Answers one request. Never throws: what goes wrong is in the result. Aborting the signal cancels queries, and commands that have not begun. */
  dispatch(request: Request, how: { readonly session: Session; readonly signal: AbortSignal }): Promise<Result>;
  /** Told when an answer was handed to its connection. */
  replied?(id: string): void | Promise<void>;
  /** What `describe` and `/spec.yaml` tell of each pattern: name -> PatternConfig (wire form). */
  patterns(): Readonly<Record<string, unknown>>;
}
