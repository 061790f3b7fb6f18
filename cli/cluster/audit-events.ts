import { outcomeTypes } from '../../domain/command/index.ts';
import { comparePositions, type Position, type RecordedEvent } from '../../domain/event/index.ts';
import type {
  AuditLogEntry,
  AuditLogQueries,
  Clock,
  EventPush,
  EventStore,
  Leadership,
  Log,
  Module,
  PlatformEvent,
  ProjectionAdmin,
} from '../../domain/ports/index.ts';

export interface AuditEventsOptions {
  readonly events: EventStore;
  readonly auditLog: AuditLogQueries;
  readonly projections: ProjectionAdmin;
  readonly push: EventPush;
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly log: Log;
}

const viewDeadline = 30_000;
const pause = 1_000;
/** ms for which entries gather: each batch is a look at the views, and nobody watches the platform's list by the millisecond. */
const gathering = 100;

/**
 * Tells the platform of each audit entry once its outcome is in the log. It reads the log at the pace at which the platform takes entries, so a
 * burst or a slow platform drops nothing. Only the leader tells; a new leader is a new `bootId`, upon which the platform lists anew.
 */
export function createAuditEvents({ events, auditLog, projections, push, leadership, clock, log }: AuditEventsOptions): Module {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function* entries(from: Position, signal: AbortSignal, reached: (position: Position) => void): AsyncIterable<PlatformEvent> {
    for await (const batch of events.log(from, { follow: signal, gather: () => clock.sleep(gathering, signal).catch(() => undefined) })) {
      for (const event of batch) {
        const entry = await entryFor(event);
        if (entry)
          yield {
            pattern: 'AuditLogEvent',
            payload: entry,
            user: entry.user,
            ...(entry.workspace === undefined ? {} : { workspace: entry.workspace }),
          };
        reached(event.position);
      }
    }
  }

  async function entryFor(event: RecordedEvent): Promise<AuditLogEntry | undefined> {
    if (event.commandid === undefined || !outcomeTypes.has(event.type)) return undefined;
    await projections.waitFor('audit-log', event.position, viewDeadline);
    return auditLog.one(event.commandid);
  }

  async function tell(signal: AbortSignal): Promise<void> {
    let from = await events.end();
    while (!signal.aborted) {
      try {
        await push.pushFrom(
          entries(from, signal, (position) => {
            if (comparePositions(position, from) > 0) from = position;
          }),
          { stream: 'AuditLogEvent', numbered: true, signal },
        );
      } catch (error) {
        if (!signal.aborted) log.warn('audit entries can not be told to the platform, it is tried again', { error });
        await clock.sleep(pause, signal).catch(() => undefined);
      }
    }
  }

  return {
    name: 'audit-events',
    async start() {
      leadership.onLead((_, signal) => {
        const until = AbortSignal.any([signal, stopping.signal]);
        running = running.then(() => tell(until)).catch((error: unknown) => log.warn('audit entries are not told', { error }));
      });
    },
    async stop() {
      stopping.abort();
      await running;
      return { dropped: [] };
    },
  };
}
