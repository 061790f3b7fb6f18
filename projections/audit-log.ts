import type { Attribution } from '../domain/command/index.ts';
import { type Actor, type RecordedEvent, timeOf } from '../domain/event/index.ts';
import { indexes, scoreOf } from './audit-places.ts';
import { type Projection, projection, type View } from './projection.ts';

export const auditLogName = 'audit-log';

export interface AuditLogOptions {
  /** `MO_AUDIT_LOG_LIMIT`: entries kept per namespace and name; 0 and below count as 100. */
  readonly limit: number;
  /** `MO_AUDIT_LOG_TTL` in ms. */
  readonly ttl: number;
}

/** What the parts of a row hold. As JSON: what is undefined is not there. */
export interface IntentPart {
  readonly pattern: string;
  readonly payload: unknown;
  readonly createdAt: string;
  readonly user: Readonly<Record<string, unknown>>;
  readonly workspace: string | undefined;
  readonly about: Attribution | undefined;
  readonly id: string;
  readonly position: string;
}
export interface OutcomePart {
  readonly outcome: 'succeeded' | 'failed' | 'abandoned';
  readonly result?: unknown;
  readonly diff?: string | undefined;
  readonly error?: string;
  readonly about?: Attribution;
  readonly event: ChainPart;
}
/** id, type, stream, position, causationid */
export type ChainPart = readonly [string, string, string, string, string?];

/** Rows that leave at once when their time is over: more than one event can bring. */
const expiredAtOnce = 200;

/** Who did what: the intent when it is accepted, the outcome when there is one. Without one it stays pending, and is seen so. */
export function auditLog({ limit, ttl }: AuditLogOptions): Projection {
  const keep = limit > 0 ? limit : 100;
  return projection({
    name: auditLogName,
    version: 1,
    on: {
      CommandAccepted(view, event) {
        const { commandid, data, position, actor } = event;
        if (commandid === undefined || !data.audited) return;
        const { pattern, payload, workspace, receivedAt, attribution } = data;
        const intent: IntentPart = {
          pattern,
          payload: payload ?? undefined,
          createdAt: receivedAt,
          user: userOf(actor),
          workspace,
          about: attribution,
          id: event.id,
          position,
        };
        view.put(commandid, 'intent', intent);
        const { bucket, places } = indexes({ pattern, workspace, about: attribution }, scoreOf(receivedAt, position));
        view.place(commandid, places);
        view.cap(bucket, keep);
        view.expire('all', timeOf(position) - ttl, expiredAtOnce);
      },
      CommandStepped: (view, event) => link(view, event),
      CommandSucceeded(view, event) {
        const { result, diff, attribution } = event.data;
        settle(view, event, { outcome: 'succeeded', result, diff }, attribution);
      },
      CommandFailed: (view, event) => settle(view, event, { outcome: 'failed', error: event.data.error.message }, event.data.attribution),
      CommandAbandoned: (view, event) => settle(view, event, { outcome: 'abandoned', error: event.data.reason }),
      CommandDiscarded: (view, event) => settle(view, event, { outcome: 'abandoned', error: `discarded by ${event.data.by}` }),
      CommandParked(view, event) {
        note(view, event, `parked: ${event.data.reason}`);
        link(view, event);
      },
      CommandRetried(view, event) {
        note(view, event, null);
        link(view, event);
      },
      ObjectAppeared: (view, event) => link(view, event),
      ObjectChanged: (view, event) => link(view, event),
      ObjectVanished: (view, event) => link(view, event),
    },
  });
}

function settle(view: View, event: RecordedEvent, outcome: Omit<OutcomePart, 'event' | 'about'>, about?: Attribution): void {
  const { commandid } = event;
  if (commandid === undefined) return;
  view.add(commandid, 'outcome', { ...outcome, about, event: chainPart(event) });
  if (about) {
    const { places } = indexes({ pattern: '', workspace: undefined, about }, 'same');
    view.move(commandid, places);
  }
}

function note(view: View, { commandid }: RecordedEvent, text: string | null): void {
  if (commandid !== undefined) view.add(commandid, 'note', text);
}

/** An object keeps the mark of its last command through every later change, so only its first event of each type is a part of the chain. */
function link(view: View, event: RecordedEvent): void {
  const { commandid, type, stream, position } = event;
  if (commandid === undefined) return;
  if (stream.startsWith('object/')) view.addOnce(commandid, `c:${type}:${stream}`, chainPart(event));
  else view.add(commandid, `c:${position}`, chainPart(event));
}

const chainPart = ({ id, type, stream, position, causationid }: RecordedEvent): ChainPart =>
  causationid === undefined ? [id, type, stream, position] : [id, type, stream, position, causationid];

/** The user of the wire. `via` is ours: on what link the request came, because the rest is only what the asking side says. */
function userOf(actor: Actor | undefined): Readonly<Record<string, unknown>> {
  if (!actor) return { apiKey: {} };
  const { firstName, lastName, email, origin, apiKey = {}, isMcpRequest, name, source } = actor;
  return { firstName, lastName, email, source: origin, apiKey, isMcpRequest, name, via: source };
}
