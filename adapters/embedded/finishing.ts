import { PositionTrimmed } from '../../domain/errors.ts';
import type { NewEvent, RecordedEvent } from '../../domain/event/index.ts';
import { commandStream, type Finish, type Observation, type Observed } from '../../domain/ports/index.ts';
import type { ArchiveReader } from './archive.ts';
import type { Core, Draft } from './core.ts';
import { holds, type Leases } from './queues.ts';
import { eventAt, type Remembered } from './state.ts';

interface Parts {
  readonly core: Core;
  readonly keepResults: number;
  readonly leases: Leases;
  readonly archive: ArchiveReader | undefined;
}

/** A command that has its outcome already: where that is. */
export interface Ended {
  readonly outcome: 'ended';
  readonly command: string;
  readonly at: Remembered;
}

/** How a command ends, and what a repeat of it is told. */
export function finishing({ core, keepResults, leases, archive }: Parts) {
  const ended = (draft: Draft, command: string): Ended | undefined => {
    const at = draft.state.ids.get(`${command}/outcome`);
    return at && { outcome: 'ended', command, at };
  };

  const close = (draft: Draft, command: string, event: NewEvent, discarded: boolean): RecordedEvent => {
    const id = `${command}/outcome`;
    const [made] = draft.add(commandStream(command), id, [event]);
    const { position, version } = made;
    const digest = draft.state.open.get(command)?.digest;
    draft.push({ k: 'id', id, position, version, since: draft.now, digest, discarded });
    draft.push({ k: 'close', command });
    draft.push({ k: 'unseal', key: `request/${command}` });
    draft.after(() => leases.delete(command));
    return made;
  };

  return {
    before(draft: Draft, command: string, digest: string): Ended | { readonly outcome: 'mismatch' } | undefined {
      const found = ended(draft, command);
      return found && found.at.digest !== digest ? { outcome: 'mismatch' } : found;
    },
    /** The outcome itself. Trimmed and nowhere archived, it can't be told; telling a repeat that it is new would run it twice. */
    async recall({ command, at: { position } }: Ended): Promise<{ readonly event: RecordedEvent; readonly sealed?: Uint8Array }> {
      const kept = core.state.sealed.get(`result/${command}`);
      const sealed = kept && (kept.until ?? 0) > core.now() ? { sealed: Buffer.from(kept.base64, 'base64') } : {};
      const event = eventAt(core.state, position) ?? (await archive?.find(position));
      if (!event) throw PositionTrimmed({ position, first: core.state.log[0]?.position ?? core.state.trimmed });
      return { event, ...sealed };
    },
    finish(draft: Draft, { claim, event, observations = [], sealed }: Finish, observe: (seen: Observation) => Observed) {
      const found = ended(draft, claim.command);
      if (found) return found;
      if (!holds(draft.state, claim)) return { outcome: 'lost' } as const;
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
      return { outcome: 'finished', position, event: made } as const;
    },
    discard(draft: Draft, command: string, outcome: NewEvent): 'discarded' | 'unknown' {
      if (draft.state.ids.get(`${command}/outcome`)?.discarded) return 'discarded';
      if (!draft.state.open.get(command)?.parked) return 'unknown';
      draft.push({ k: 'mark', position: close(draft, command, outcome, true).position });
      return 'discarded';
    },
  };
}
