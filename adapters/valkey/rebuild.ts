import { z } from 'zod';
import { StoreUnavailable } from '../../domain/errors.ts';
import { origin, type Position } from '../../domain/event/index.ts';
import type { ValkeyConnection } from './connection.ts';
import { type Queueing, queueingOf } from './entry.ts';
import { asList, asPosition, asText } from './reply.ts';
import type { Argument } from './wire.ts';

interface Open extends Queueing {
  readonly position: Position;
  readonly steps: Map<string, Position>;
  parked?: { readonly reason: string; readonly since: number };
}

const page = 500;
const rounds = 1_000;
const parkedData = z.object({ reason: z.string() });
const header = z.object({ i: z.string(), w: z.string(), d: z.unknown() });

/**
 * Reads the log for commands without an outcome and makes their queues anew, as of the log's end: when something was appended meanwhile,
 * only what is new is read before the next try. Leases are forgotten; a worker that still holds one finds its fence refused.
 */
export async function rebuildQueues(connection: ValkeyConnection): Promise<number> {
  const open = new Map<string, Open>();
  let end: Position = origin;
  for (let round = 0; round < rounds; round++) {
    end = await readOn(connection, end, open);
    const answer = await connection.callDurably('rebuild', [end, ...[...open].flatMap(toArguments)]);
    if (answer === 'rebuilt') return open.size;
  }
  throw StoreUnavailable({ reason: 'the log never stood still long enough to rebuild its queues' });
}

async function readOn(connection: ValkeyConnection, after: Position, open: Map<string, Open>): Promise<Position> {
  let from = after;
  for (;;) {
    const entries = asList(await connection.fetch('XRANGE', [`${connection.tag}:log`, `(${from}`, '+', 'COUNT', page]));
    for (const entry of entries) {
      const [position, values] = asList(entry);
      from = asPosition(position);
      fold(open, from, asText(asList(values)[1]));
    }
    if (entries.length < page) return from;
  }
}

/** What an event means for its queue stands in its id: `<command>/accepted/1`, `/step/<n>/1`, `/parked/<fence>/1`, `/retried/<ms>/1`, `/outcome/1`. */
function fold(open: Map<string, Open>, position: Position, entry: string): void {
  if (!/^\d+\{"s":"command\//.test(entry)) return;
  const { i: id, w: time, d: data } = header.parse(JSON.parse(entry.slice(entry.indexOf('{'))));
  const [, command = '', what = '', n = ''] = /^(.*)\/(accepted|outcome|step|parked|retried)(?:\/(\d+))?\/1$/.exec(id) ?? [];
  const found = open.get(command);
  if (what === 'accepted') {
    const queueing = queueingOf(entry);
    if (queueing) open.set(command, { ...queueing, position, steps: new Map() });
  } else if (what === 'outcome') open.delete(command);
  else if (!found) return;
  else if (what === 'step') found.steps.set(n, position);
  else if (what === 'parked') found.parked = { reason: parkedData.safeParse(data).data?.reason ?? '', since: Date.parse(time) || 0 };
  else if (what === 'retried') {
    delete found.parked;
    // It went to the end of its queue.
    open.delete(command);
    open.set(command, found);
  }
}

function toArguments([command, { aggregate, digest, position, parked, steps }]: [string, Open]): readonly Argument[] {
  const reason = parked ? parked.reason || 'unknown' : '';
  return [command, aggregate, digest, position, parked ? 1 : 0, reason, parked?.since ?? '', steps.size, ...[...steps].flat()];
}
