import type { NewEvent, Position, RecordedEvent } from '../../domain/event/index.ts';
import { type Accepted, commandStream, type Finish, type Finished, type Observation, type Observed } from '../../domain/ports/index.ts';
import type { Draft } from './core.ts';
import { holds, type Leases } from './queues.ts';

interface Parts {
  readonly at: (position: Position) => RecordedEvent | undefined;
  readonly keepResults: number;
  readonly leases: Leases;
}

/** How a command ends, and what a repeat of it is told. */
export function finishing({ at, keepResults, leases }: Parts) {
  const earlier = (draft: Draft, command: string) => {
    const known = draft.state.ids.get(`${command}/outcome`);
    const event = known && at(known.position);
    if (!known || !event) return undefined;
    const kept = draft.state.sealed.get(`result/${command}`);
    const sealed = kept && (kept.until ?? 0) > draft.now ? { sealed: Buffer.from(kept.base64, 'base64') } : {};
    return { known, answer: { event, ...sealed } };
  };

  const close = (draft: Draft, command: string, event: NewEvent, discarded: boolean): RecordedEvent => {
    const [made] = draft.add(commandStream(command), `${command}/outcome`, [event]);
    const digest = draft.state.open.get(command)?.digest;
    draft.push({
      k: 'id',
      id: `${command}/outcome`,
      position: made.position,
      version: made.version,
      since: draft.now,
      digest,
      discarded,
    });
    draft.push({ k: 'close', command });
    draft.push({ k: 'unseal', key: `request/${command}` });
    leases.delete(command);
    return made;
  };

  return {
    before(draft: Draft, command: string, digest: string): Accepted | undefined {
      const found = earlier(draft, command);
      if (!found) return undefined;
      return found.known.digest === digest ? { outcome: 'finished', ...found.answer } : { outcome: 'mismatch' };
    },
    finish(draft: Draft, { claim, event, observations = [], sealed }: Finish, observe: (seen: Observation) => Observed): Finished {
      const found = earlier(draft, claim.command);
      if (found) return { outcome: 'duplicate', ...found.answer };
      if (!holds(draft.state, claim)) return { outcome: 'lost' };
      const made = close(draft, claim.command, event, false);
      let { position } = made;
      for (const seen of observations) {
        const recorded = observe(seen);
        if (recorded.outcome === 'recorded') position = recorded.position;
      }
      if (sealed) {
        const base64 = Buffer.from(sealed).toString('base64');
        draft.push({ k: 'seal', key: `result/${claim.command}`, base64, until: draft.now + keepResults });
      }
      draft.push({ k: 'mark', position });
      return { outcome: 'finished', position, event: made };
    },
    discard(draft: Draft, command: string, outcome: NewEvent): 'discarded' | 'unknown' {
      if (draft.state.ids.get(`${command}/outcome`)?.discarded) return 'discarded';
      if (!draft.state.open.get(command)?.parked) return 'unknown';
      draft.push({ k: 'mark', position: close(draft, command, outcome, true).position });
      return 'discarded';
    },
  };
}
