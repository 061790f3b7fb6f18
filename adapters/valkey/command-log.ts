import { z } from 'zod';
import { PositionTrimmed, StoreUnavailable } from '../../domain/errors.ts';
import { checkName, type NewEvent, origin, type Position, type RecordedEvent } from '../../domain/event/index.ts';
import { type Claim, type CommandLog, commandStream, type ParkedCommand } from '../../domain/ports/index.ts';
import type { ArchiveReader } from './archive.ts';
import {
  acceptanceEntry,
  finishArguments,
  outcomeBucket,
  seal,
  shortDigest,
  toAccepted,
  toClaim,
  toFinished,
  unseal,
} from './command-arguments.ts';
import type { ValkeyConnection } from './connection.ts';
import { decode, encode } from './entry.ts';
import { rebuildQueues } from './rebuild.ts';
import { asList, asNumber, asPosition, asText } from './reply.ts';

export interface CommandLogOptions {
  /** Commands in the queue of one aggregate. Default 1,000. */
  readonly perAggregate?: number;
  /** Commands without an outcome in all, parked ones too. Default 10,000. */
  readonly inAll?: number;
  /** How long a sealed result is kept for a repeated request, in milliseconds. Default one day. */
  readonly keepResults?: number;
  /** How long a sealed request is kept after its deadline, in milliseconds. Default one hour. */
  readonly grace?: number;
  /** Where an outcome is that was trimmed before its id was forgotten. */
  readonly archive?: ArchiveReader;
}

const pattern = z.object({ pattern: z.string() });

export function createValkeyCommandLog(connection: ValkeyConnection, options: CommandLogOptions = {}): CommandLog {
  const { perAggregate = 1_000, inAll = 10_000, keepResults = 86_400_000, grace = 3_600_000, archive } = options;
  const source = `/clusters/${connection.clusterId}`;
  const entryOf = (command: string, id: string, event: NewEvent) => encode(commandStream(command), `${command}/${id}/1`, event);
  const identity = ({ command, aggregate, fence }: Claim) => [command, aggregate, fence];

  /** The outcome that stands: [_, position, entry or nil, sealed or nil]. */
  const earlier = async (reply: readonly unknown[]): Promise<{ event: RecordedEvent; sealed?: Uint8Array }> => {
    const position = asPosition(reply[1]);
    const event = typeof reply[2] === 'string' ? decode(source, position, reply[2]) : await archive?.find(position);
    if (!event) throw PositionTrimmed({ position, first: position });
    return { event, ...unseal(reply[3]) };
  };

  return {
    async accept(acceptance) {
      const { command, aggregate, digest, deadline, sealed, claim } = acceptance;
      checkName(command);
      checkName(aggregate);
      const entry = acceptanceEntry(acceptance);
      const expiry = Math.ceil(deadline + grace);
      const args = [command, aggregate, shortDigest(digest), outcomeBucket(command), entry, expiry, seal(sealed), claim?.lease ?? ''];
      const reply = asList(await connection.callDurably('accept', [...args, perAggregate, inAll]));
      return reply[0] === 'finished' ? { outcome: 'finished', ...(await earlier(reply)) } : toAccepted(source, acceptance, entry, reply);
    },
    async claim({ lease, limit }) {
      return asList(await connection.call('claim', [lease, limit])).flatMap((one) => toClaim(source, one) ?? []);
    },
    async nextClaimable() {
      const ms = asNumber(await connection.call('next_claimable', []));
      return ms < 0 ? undefined : ms;
    },
    async renew(claim, lease) {
      return oneOf(['renewed', 'lost'], await connection.call('renew', [...identity(claim), lease]));
    },
    async release(claim, delay) {
      return oneOf(['released', 'lost'], await connection.call('release', [...identity(claim), delay]));
    },
    async step(claim, n, event) {
      const entry = entryOf(claim.command, `step/${n}`, event);
      return oneOf(['recorded', 'duplicate', 'lost'], await connection.callDurably('step', [...identity(claim), n, entry]));
    },
    async finish(finish) {
      const entry = entryOf(finish.claim.command, 'outcome', finish.event);
      const reply = asList(await connection.callDurably('finish', finishArguments(finish, entry, keepResults)));
      return reply[0] === 'duplicate' ? { outcome: 'duplicate', ...(await earlier(reply)) } : toFinished(source, entry, reply);
    },
    async park(claim, event, reason) {
      const entry = entryOf(claim.command, `parked/${claim.fence}`, event);
      return oneOf(['parked', 'lost'], await connection.callDurably('park', [...identity(claim), entry, reason]));
    },
    async parked({ offset, limit }) {
      if (limit < 1) return { items: [], total: asNumber(asList(await connection.call('list_parked', [0, 1]))[0]) };
      const [total, ...items] = asList(await connection.call('list_parked', [offset, limit]));
      return { items: items.map((item) => toParked(source, item)), total: asNumber(total) };
    },
    async retry(command, event) {
      const entry = entryOf(command, `retried/${connection.clock.now()}`, event);
      return oneOf(['queued', 'unknown'], await connection.callDurably('retry', [command, entry]));
    },
    async discard(command, outcome) {
      const entry = entryOf(command, 'outcome', outcome);
      return oneOf(['discarded', 'unknown'], await connection.callDurably('discard', [command, outcomeBucket(command), entry]));
    },
    async mark(): Promise<Position> {
      const mark = await connection.command('GET', [`${connection.tag}:mark`]);
      return mark === null ? origin : asPosition(mark);
    },
    async depth() {
      const [waiting, claimed, parked] = asList(await connection.call('depth', []));
      return { waiting: asNumber(waiting), claimed: asNumber(claimed), parked: asNumber(parked) };
    },
    rebuild: () => rebuildQueues(connection),
  };
}

function toParked(source: string, item: unknown): ParkedCommand {
  const [command, aggregate, reason, attempts, since, position, entry] = asList(item).map(asText);
  const accepted = entry ? decode(source, asPosition(position), entry) : undefined;
  return {
    command: asText(command),
    aggregate: asText(aggregate),
    pattern: pattern.safeParse(accepted?.data).data?.pattern ?? '',
    reason: asText(reason),
    attempts: asNumber(attempts),
    since: new Date(asNumber(since)).toISOString(),
  };
}

function oneOf<const Outcome extends string>(outcomes: readonly Outcome[], reply: unknown): Outcome {
  const found = outcomes.find((outcome) => outcome === reply);
  if (found === undefined) throw StoreUnavailable({ reason: 'an answer of another shape' });
  return found;
}
