import type { NewEvent, Position, RecordedEvent, StreamName } from '../event/index.ts';
import type { Observation } from './event-store.ts';

/** A lease on the head of an aggregate's queue. Whoever holds the newest fence may finish; an older one is refused. */
export interface Claim {
  readonly command: string;
  readonly aggregate: string;
  readonly fence: number;
  /** Counted from 1: how often the command was claimed. */
  readonly attempt: number;
  /** The event that accepted it. */
  readonly accepted: RecordedEvent;
  /** The sealed request, when it carried secrets. */
  readonly sealed?: Uint8Array;
  /** Events of the steps that earlier attempts recorded, oldest first. */
  readonly steps: readonly RecordedEvent[];
}

export interface Acceptance {
  readonly command: string;
  readonly aggregate: string;
  /** Tells the same request from another under the same id: a digest of pattern and payload. */
  readonly digest: string;
  readonly event: NewEvent;
  /** Until when (epoch ms) an answer is of use; ids are remembered at least so long. */
  readonly deadline: number;
  readonly sealed?: Uint8Array;
  /** Claims it in the same call when its queue was empty. `lease` in milliseconds. */
  readonly claim?: { readonly owner: string; readonly lease: number };
}

export type Accepted =
  | {
      readonly outcome: 'accepted';
      readonly position: Position;
      readonly claim?: Claim /** commands before it in its queue */;
      readonly ahead: number;
    }
  | { readonly outcome: 'open'; readonly position: Position } // the same command was accepted before and has no outcome yet
  | { readonly outcome: 'finished'; readonly event: RecordedEvent; readonly sealed?: Uint8Array } // its outcome, and the sealed result when it carries secrets
  | { readonly outcome: 'mismatch' } // another request came under this id
  | { readonly outcome: 'full' }; // the queue, or all queues together, are at their bound; nothing was written

export interface Finish {
  readonly claim: Claim;
  readonly event: NewEvent;
  /** What the handler saw of the objects it changed, appended in the same call. */
  readonly observations?: readonly Observation[];
  /** The sealed result, kept as long as a repeated request gets the same answer. */
  readonly sealed?: Uint8Array;
}

export type Finished =
  | { readonly outcome: 'finished' /** position of the last event appended */; readonly position: Position; readonly event: RecordedEvent }
  | { readonly outcome: 'duplicate'; readonly event: RecordedEvent; readonly sealed?: Uint8Array } // it has this outcome already
  | { readonly outcome: 'lost' }; // somebody else holds the claim now; nothing was written

/** A command that was given up after too many attempts, or by its handling; a person retries or discards it. */
export interface ParkedCommand {
  readonly command: string;
  readonly aggregate: string;
  readonly pattern: string;
  readonly reason: string;
  readonly attempts: number;
  /** RFC 3339. */
  readonly since: string;
}

/**
 * Commands between acceptance and outcome: a queue per aggregate, of which only the head may be claimed, and the leases on the heads.
 * All of it is derived from the log. Every method throws `StoreUnavailable` and `StoreFull` as the event store does.
 */
export interface CommandLog {
  /** Appends the acceptance to `command/<id>`, joins the queue and, if asked and possible, claims: one call, all or nothing. */
  accept(acceptance: Acceptance): Promise<Accepted>;
  /** Claims heads whose lease ran out or that nobody claimed, at most `limit`, longest waiting first. */
  claim(how: { readonly owner: string; readonly lease: number; readonly limit: number }): Promise<readonly Claim[]>;
  /** When the next head may be claimed, in milliseconds from now by the store's clock; undefined when nothing waits. */
  nextClaimable(): Promise<number | undefined>;
  /** Keeps the lease; `lost` when somebody else holds it. */
  renew(claim: Claim, lease: number): Promise<'renewed' | 'lost'>;
  /** Gives the claim back; the head may be claimed again after `delay` milliseconds. */
  release(claim: Claim, delay: number): Promise<'released' | 'lost'>;
  /** Records a step under `<command>/step/<n>`, refused with an old fence. */
  step(claim: Claim, n: number, event: NewEvent): Promise<'recorded' | 'duplicate' | 'lost'>;
  /** Appends the outcome, removes the head, frees the next, moves the mark: one call. */
  finish(finish: Finish): Promise<Finished>;
  /** Takes the head out of its queue with a reason and frees the next. Its sealed request is kept. */
  park(claim: Claim, event: NewEvent, reason: string): Promise<'parked' | 'lost'>;
  /** Newest first. */
  parked(page: {
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly items: readonly ParkedCommand[]; readonly total: number }>;
  /** Puts a parked command at the end of its queue again; `unknown` when it isn't parked. */
  retry(command: string, event: NewEvent): Promise<'queued' | 'unknown'>;
  /** Ends a parked command with the given outcome. */
  discard(command: string, outcome: NewEvent): Promise<'discarded' | 'unknown'>;
  /** The position that finishing commands have moved the mark to: a caller on any replica waits for it to read its own writes. */
  mark(): Promise<Position>;
  /** Commands that wait, and that are being worked on. */
  depth(): Promise<{ readonly waiting: number; readonly claimed: number; readonly parked: number }>;
  /** Makes queues and leases anew from the log, for when they were lost. Returns how many open commands there are. */
  rebuild(): Promise<number>;
}

/** The stream of a command's own events. */
export const commandStream = (command: string): StreamName => `command/${command}`;
