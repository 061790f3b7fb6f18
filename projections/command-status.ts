import type { RecordedEvent } from '../domain/event/index.ts';
import { timeOf } from '../domain/event/index.ts';
import { projection, type View } from './projection.ts';

export const commandStatusName = 'command-status';

/** Commands kept in each phase that ends one, newest by acceptance. The others are bounded by the queues, which refuse what is too much. */
const kept = { succeeded: 50_000, failed: 20_000, abandoned: 5_000 };

/** A command is filed under its phase only: all of them together are all commands. */
export const phases = ['accepted', 'succeeded', 'failed', 'abandoned', 'parked'] as const;

/** What the rows hold. */
export interface AcceptedPart {
  readonly pattern: string;
  readonly aggregate: string;
  readonly since: string;
  readonly actor: unknown;
  readonly workspace: string | undefined;
  readonly position: string;
}
export interface PhasePart {
  readonly phase: (typeof phases)[number];
  readonly until?: string;
  readonly error?: { readonly code: string; readonly message: string };
  /** Of the event that ended it. */
  readonly position?: string;
}

/** Where every command stands, and at which positions the events lie that belong to it. */
export const commandStatus = projection({
  name: commandStatusName,
  version: 1,
  on: {
    CommandAccepted(view, event) {
      const { commandid, data, position } = event;
      if (commandid === undefined) return;
      const accepted: AcceptedPart = {
        pattern: data.pattern,
        aggregate: data.aggregate,
        since: data.receivedAt,
        actor: event.actor,
        workspace: data.workspace,
        position,
      };
      view.put(commandid, 'accepted', accepted);
      view.place(commandid, { 'phase:accepted': timeOf(position) });
    },
    CommandStepped: (view, event) => link(view, event),
    CommandSucceeded: (view, event) => turn(view, event, { phase: 'succeeded', until: event.time }),
    CommandFailed(view, event) {
      const { code, message } = event.data.error;
      turn(view, event, { phase: 'failed', until: event.time, error: { code, message } });
    },
    CommandAbandoned: (view, event) =>
      turn(view, event, { phase: 'abandoned', until: event.time, error: { code: 'ABANDONED', message: event.data.reason } }),
    CommandParked: (view, event) => turn(view, event, { phase: 'parked', error: { code: 'COMMAND_PARKED', message: event.data.reason } }),
    CommandRetried: (view, event) => turn(view, event, { phase: 'accepted' }),
    CommandDiscarded: (view, event) =>
      turn(view, event, {
        phase: 'abandoned',
        until: event.time,
        error: { code: 'COMMAND_DISCARDED', message: `discarded by ${event.data.by}` },
      }),
    ObjectAppeared: (view, event) => link(view, event),
    ObjectChanged: (view, event) => link(view, event),
    ObjectVanished: (view, event) => link(view, event),
  },
});

function turn(view: View, event: RecordedEvent, part: PhasePart): void {
  const { commandid, position } = event;
  if (commandid === undefined) return;
  const ended = part.until !== undefined;
  view.add(commandid, 'phase', ended ? { ...part, position } : part);
  view.move(commandid, { [`phase:${part.phase}`]: 'same' });
  if (part.phase === 'succeeded' || part.phase === 'failed' || part.phase === 'abandoned')
    view.cap(`phase:${part.phase}`, kept[part.phase]);
  if (!ended) link(view, event);
}

/**
 * Where an event of the chain lies. The acceptance says so itself. An object keeps the mark of its last command through every later
 * change, so only the first event of each type counts.
 */
function link(view: View, { commandid, position, type, stream }: RecordedEvent): void {
  if (commandid === undefined) return;
  if (stream.startsWith('object/')) view.addOnce(commandid, `at:${type}:${stream}`, position);
  else view.add(commandid, `at:${position}`, position);
}
