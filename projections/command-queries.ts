import { z } from 'zod';
import { PositionTrimmed } from '../domain/errors.ts';
import { actor, comparePositions, type Position, parsePosition, type RecordedEvent } from '../domain/event/index.ts';
import type { CommandQueries, CommandStatus, EventStore, ViewStore } from '../domain/ports/index.ts';
import { commandStatusName, phases } from './command-status.ts';
import { liveView } from './live-view.ts';
import { justBefore } from './positions.ts';

const position = z.string().transform((text, context) => {
  const parsed = parsePosition(text);
  if (parsed) return parsed;
  context.addIssue({ code: 'custom', message: 'no position' });
  return z.NEVER;
});
const acceptedPart = z.object({
  pattern: z.string(),
  aggregate: z.string(),
  since: z.string(),
  actor: actor.optional(),
  workspace: z.string().optional(),
  position,
});
const phasePart = z.object({
  phase: z.enum(phases),
  until: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  position: position.optional(),
});

export interface CommandQueriesOptions {
  readonly views: ViewStore;
  readonly events: EventStore;
}

/** Longest page. */
const longest = 1_000;
/** Reads of the log under way at once for one chain. */
const atOnce = 20;

/** Commands as the view `command-status` knows them. Throws `ViewStale` while there is no such view yet: unknown is not none. */
export function createCommandQueries({ views, events }: CommandQueriesOptions): CommandQueries {
  return {
    async one(id) {
      const [row] = await views.rows(await liveView(views, commandStatusName), [id], ['accepted', 'phase']);
      return row && statusOf(id, row);
    },
    async list({ limit, offset, phase }) {
      const view = await liveView(views, commandStatusName);
      const index = phase === undefined ? phases.map((one) => `phase:${one}`) : `phase:${phase}`;
      const { keys, total } = await views.page(view, {
        index,
        order: 'descending',
        offset: Math.max(0, offset),
        limit: Math.min(Math.max(0, limit), longest),
      });
      const rows = await views.rows(view, keys, ['accepted', 'phase']);
      return { items: keys.flatMap((id, i) => statusOf(id, rows[i]) ?? []), total };
    },
    async chain(id) {
      const [row] = await views.rows(await liveView(views, commandStatusName), [id]);
      if (!row) return [];
      const positions = positionsOf(row);
      const found: RecordedEvent[] = [];
      for (let i = 0; i < positions.length; i += atOnce) {
        const some = await Promise.all(positions.slice(i, i + atOnce).map((at) => eventAt(events, at)));
        found.push(...some.filter((event) => event !== undefined));
      }
      return found;
    },
  };
}

function statusOf(id: string, row: Readonly<Record<string, string>> | undefined): CommandStatus | undefined {
  if (row?.accepted === undefined) return undefined;
  const { actor: who, workspace, ...accepted } = acceptedPart.parse(JSON.parse(row.accepted));
  const { phase, until, error } = phasePart.parse(row.phase === undefined ? { phase: 'accepted' } : JSON.parse(row.phase));
  return {
    id,
    ...accepted,
    phase,
    ...(until === undefined ? {} : { until }),
    ...(who === undefined ? {} : { actor: who }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(error === undefined ? {} : { error }),
  };
}

function positionsOf(row: Readonly<Record<string, string>>): readonly Position[] {
  const accepted = row.accepted === undefined ? [] : [acceptedPart.parse(JSON.parse(row.accepted)).position];
  const later = Object.entries(row).flatMap(([part, value]) => (part.startsWith('at:') ? position.parse(JSON.parse(value)) : []));
  const ended = row.phase === undefined ? undefined : phasePart.parse(JSON.parse(row.phase)).position;
  return [...accepted, ...later, ...(ended ? [ended] : [])].sort(comparePositions);
}

/** The event at a position; undefined when it was trimmed and no archive has it. */
async function eventAt(events: EventStore, at: Position): Promise<RecordedEvent | undefined> {
  try {
    for await (const [event] of events.log(justBefore(at), { batch: 1 })) return event?.position === at ? event : undefined;
  } catch (error) {
    if (!PositionTrimmed.is(error)) throw error;
  }
  return undefined;
}
