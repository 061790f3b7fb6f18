import { z } from 'zod';

/** A place in the log: `<milliseconds>-<sequence>`, as Valkey numbers its stream entries. Compare with `comparePositions`, never as text. */
export type Position = `${number}-${number}`;

/** Before the first event. */
export const origin: Position = '0-0';

/** The stream of one aggregate: `<category>/<id>`, e.g. `command/q7Kd`, `object/mogenius.com/workspaces/mogenius/shop`. */
export type StreamName = `${string}/${string}`;

/** One id per append, not per command: `<commandid>/accepted`, `/step/<n>`, `/outcome`. A repeat gets the first one's answer. */
export type AppendId = string;

/** Leadership counted: the Lease's `leaseTransitions`. What only the leader may write carries it. */
export type Term = number;

/** Whoever asked, as the asking side says. `source` tells on what link, so that a reader knows how far to trust it. */
export const actor = z.object({
  source: z.enum(['platform', 'http', 'cli', 'operator', 'kubernetes']),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  email: z.string().optional(),
  /** `user.source` of a datagram, as given. */
  origin: z.string().optional(),
  apiKey: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
  isMcpRequest: z.boolean().optional(),
  /** The Kubernetes user or field manager, where the fact comes from the cluster. */
  name: z.string().optional(),
});
export type Actor = z.infer<typeof actor>;

/** A fact to be appended: past tense, never edited. Keys become CloudEvents attributes when it leaves the process. */
export interface NewEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  /** Version of the data's schema, counted from 1. Old versions are upcast when they are read. */
  readonly schema: number;
  /** RFC 3339, UTC, milliseconds. When it happened; the position tells when it was recorded. */
  readonly time: string;
  readonly data: Data;
  /** The command this belongs to. */
  readonly commandid?: string;
  /** The id of the event that led to this one. */
  readonly causationid?: string;
  /** The id that all events of one request share, across commands. */
  readonly correlationid?: string;
  readonly actor?: Actor;
}

/** An event as the log holds it. */
export interface RecordedEvent<Type extends string = string, Data = unknown> extends NewEvent<Type, Data> {
  /** `<append id>/<n>`: the same again when the same append is repeated. */
  readonly id: string;
  /** CloudEvents `source`: `/clusters/<cluster id>`. */
  readonly source: string;
  /** CloudEvents `subject`. */
  readonly stream: StreamName;
  /** Counted from 1 within the stream. */
  readonly version: number;
  readonly position: Position;
}

const positionText = /^(\d{1,16})-(\d{1,16})$/;

/** A position from outside. Undefined when the text is none. */
export function parsePosition(text: string): Position | undefined {
  const found = positionText.exec(text);
  return found ? `${Number(found[1])}-${Number(found[2])}` : undefined;
}

/** Negative when `a` is before `b`, 0 when they are the same place, positive when it is after. */
export function comparePositions(a: Position, b: Position): number {
  const [aTime = 0, aSequence = 0] = a.split('-').map(Number);
  const [bTime = 0, bSequence = 0] = b.split('-').map(Number);
  return aTime - bTime || aSequence - bSequence;
}

/** When the position was made, in milliseconds since the epoch by the store's clock. */
export function timeOf(position: Position): number {
  return Number(position.slice(0, position.indexOf('-')));
}
