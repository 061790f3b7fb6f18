import { z } from 'zod';
import { checkName, type Position, type RecordedEvent } from '../../domain/event/index.ts';
import { type Accepted, type Claim, type CommandLog, commandStream, type ParkedCommand } from '../../domain/ports/index.ts';
import type { ArchiveReader } from './archive.ts';
import type { Core, Draft } from './core.ts';
import { observeOne } from './events.ts';
import { type Ended, finishing } from './finishing.ts';
import { claimable, holds, type Leases, takeHead } from './queues.ts';
import { eventAt, type OpenCommand } from './state.ts';

export interface CommandBounds {
  /** Commands in the queue of one aggregate. Default 1,000. */
  readonly perAggregate?: number;
  /** Commands without an outcome in all, parked ones too. Default 10,000. */
  readonly inAll?: number;
  /** How long a sealed result is kept for a repeated request, in milliseconds. Default one day. */
  readonly keepResults?: number;
  /** How long a sealed request is kept after its deadline, in milliseconds. Default one hour. */
  readonly grace?: number;
}

const pattern = z.object({ pattern: z.string() });

export function createCommands(core: Core, bounds: CommandBounds, archive?: ArchiveReader): CommandLog {
  const { perAggregate = 1_000, inAll = 10_000, keepResults = 86_400_000, grace = 3_600_000 } = bounds;
  const leases: Leases = new Map();
  const at = (position: Position): RecordedEvent | undefined => eventAt(core.state, position);
  const finish = finishing({ core, keepResults, leases, archive });

  const claimOf = (found: OpenCommand, accepted: RecordedEvent, sealed: string | undefined): Claim => ({
    command: found.command,
    aggregate: found.aggregate,
    fence: found.fence,
    attempt: found.attempt,
    accepted,
    ...(sealed === undefined ? {} : { sealed: Buffer.from(sealed, 'base64') }),
    steps: [...found.steps].sort(([a], [b]) => a - b).flatMap(([, position]) => at(position) ?? []),
  });
  const sealedOf = (key: string, now: number): string | undefined => {
    const found = core.state.sealed.get(key);
    return found && (found.until === undefined || found.until > now) ? found.base64 : undefined;
  };
  const claim = (draft: Draft, command: string, lease: number): (() => Claim[]) => {
    takeHead(draft, leases, command, lease);
    return () => {
      const found = draft.state.open.get(command);
      const accepted = found && at(found.position);
      return found && accepted ? [claimOf(found, accepted, sealedOf(`request/${command}`, draft.now))] : [];
    };
  };

  return {
    async accept(acceptance): Promise<Accepted> {
      const { command, aggregate, digest, event, deadline, sealed } = acceptance;
      checkName(command);
      checkName(aggregate);
      const taken = core.change((draft): Accepted | Ended | (() => Accepted) => {
        const open = draft.state.open.get(command);
        if (open) return open.digest === digest ? { outcome: 'open', position: open.position } : { outcome: 'mismatch' };
        const before = finish.before(draft, command, digest);
        if (before) return before;
        const ahead = draft.state.queues.get(aggregate)?.length ?? 0;
        if (ahead >= perAggregate || draft.state.open.size >= inAll) return { outcome: 'full' };
        const [{ position }] = draft.add(commandStream(command), `${command}/accepted`, [event]);
        draft.push({ k: 'open', command, aggregate, digest, position });
        if (sealed) draft.push({ k: 'seal', key: `request/${command}`, base64: base64(sealed), until: deadline + grace });
        if (!acceptance.claim || ahead > 0) return { outcome: 'accepted', position, ahead };
        const claimed = claim(draft, command, acceptance.claim.lease);
        return () => {
          const [mine] = claimed();
          return mine ? { outcome: 'accepted', position, ahead, claim: mine } : { outcome: 'accepted', position, ahead };
        };
      });
      if (typeof taken === 'function') return taken();
      return taken.outcome === 'ended' ? { outcome: 'finished', ...(await finish.recall(taken)) } : taken;
    },
    async claim({ lease, limit }) {
      const made = core.change((draft) => claimable(draft.state, leases, draft.now, limit).map((command) => claim(draft, command, lease)));
      return made.flatMap((claimed) => claimed());
    },
    async nextClaimable() {
      const times = [...core.state.queues.values()].flatMap(([head]) => leases.get(head ?? '')?.until ?? 0);
      return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - core.now());
    },
    async renew(held, lease) {
      if (!holds(core.state, held)) return 'lost';
      leases.set(held.command, { until: core.now() + lease, claimed: true });
      return 'renewed';
    },
    release: async (held, delay) =>
      core.change((draft) => {
        if (!holds(draft.state, held)) return 'lost';
        draft.push({ k: 'claim', command: held.command, fence: 0, attempt: held.attempt });
        draft.after(() => leases.set(held.command, { until: draft.now + delay, claimed: false }));
        return 'released';
      }),
    step: async (held, n, event) =>
      core.change((draft) => {
        if (!holds(draft.state, held)) return 'lost';
        if (draft.state.open.get(held.command)?.steps.has(n)) return 'duplicate';
        const [{ position }] = draft.add(commandStream(held.command), `${held.command}/step/${n}`, [event]);
        draft.push({ k: 'step', command: held.command, n, position });
        return 'recorded';
      }),
    async finish(how) {
      const answer = core.change((draft) => finish.finish(draft, how, (seen) => observeOne(draft, seen)));
      return answer.outcome === 'ended' ? { outcome: 'duplicate', ...(await finish.recall(answer)) } : answer;
    },
    park: async (held, event, reason) =>
      core.change((draft) => {
        if (draft.state.open.get(held.command)?.parked?.fence === held.fence) return 'parked';
        if (!holds(draft.state, held)) return 'lost';
        draft.add(commandStream(held.command), `${held.command}/parked/${held.fence}`, [event]);
        draft.push({ k: 'park', command: held.command, reason, since: draft.now, fence: held.fence });
        const sealed = sealedOf(`request/${held.command}`, draft.now);
        if (sealed !== undefined) draft.push({ k: 'seal', key: `request/${held.command}`, base64: sealed });
        draft.after(() => leases.delete(held.command));
        return 'parked';
      }),
    async parked({ offset, limit }) {
      const all = [...core.state.open.values()].filter((one) => one.parked).reverse();
      all.sort((a, b) => (b.parked?.since ?? 0) - (a.parked?.since ?? 0));
      const items = all.slice(offset, offset + limit).map(
        (one): ParkedCommand => ({
          command: one.command,
          aggregate: one.aggregate,
          pattern: pattern.safeParse(at(one.position)?.data).data?.pattern ?? '',
          reason: one.parked?.reason ?? '',
          attempts: one.attempt,
          since: new Date(one.parked?.since ?? 0).toISOString(),
        }),
      );
      return { items, total: all.length };
    },
    retry: async (command, event) =>
      core.change((draft) => {
        const found = draft.state.open.get(command);
        // A retry whose answer was lost finds the command queued already.
        if (found && !found.parked && found.retried && found.attempt === 0) return 'queued';
        if (!found?.parked) return 'unknown';
        draft.add(commandStream(command), `${command}/retried/${found.parked.fence}`, [event]);
        draft.push({ k: 'requeue', command });
        return 'queued';
      }),
    discard: async (command, outcome) => core.change((draft) => finish.discard(draft, command, outcome)),
    mark: async () => core.state.mark,
    async depth() {
      const open = [...core.state.open.values()];
      const parked = open.filter((one) => one.parked).length;
      const claimed = [...leases].filter(([id, { until, claimed }]) => claimed && until > core.now() && core.state.open.has(id)).length;
      return { waiting: open.length - parked - claimed, claimed, parked };
    },
    // Queues are made from the file at every start, and memory loses them only together with the log: only the leases are anew.
    rebuild: async () =>
      core.change((draft) => {
        for (const { command, attempt, fence } of draft.state.open.values()) {
          if (fence > 0) draft.push({ k: 'claim', command, fence: 0, attempt });
        }
        draft.after(() => leases.clear());
        return draft.state.open.size;
      }),
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
