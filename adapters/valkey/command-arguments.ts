import { createHash } from 'node:crypto';
import { StoreUnavailable } from '../../domain/errors.ts';
import type { RecordedEvent } from '../../domain/event/index.ts';
import { type Acceptance, type Accepted, type Claim, commandStream, type Finish, type Finished } from '../../domain/ports/index.ts';
import { bucketOf } from './bucket.ts';
import { decode, encode } from './entry.ts';
import { observationArguments } from './event-arguments.ts';
import { asList, asNumber, asPosition, asText } from './reply.ts';
import type { Argument } from './wire.ts';

export const outcomeBucket = (command: string): string => bucketOf(`${command}/outcome`);
export const seal = (bytes: Uint8Array | undefined): string => (bytes ? Buffer.from(bytes).toString('base64') : '');

export function unseal(reply: unknown): { readonly sealed?: Uint8Array } {
  return typeof reply === 'string' && reply !== '' ? { sealed: Buffer.from(reply, 'base64') } : {};
}

export function acceptanceEntry({ command, aggregate, digest, event }: Acceptance): string {
  return encode(commandStream(command), `${command}/accepted/1`, event, { aggregate, digest: shortDigest(digest) });
}

export function toAccepted(source: string, acceptance: Acceptance, entry: string, reply: unknown): Accepted {
  const [outcome, position, third, ahead, fence, attempt] = asList(reply);
  switch (outcome) {
    case 'open':
      return { outcome, position: asPosition(position) };
    case 'mismatch':
    case 'full':
      return { outcome };
    case 'accepted': {
      const at = asPosition(position);
      const accepted = { outcome, position: at, ahead: asNumber(ahead) } as const;
      if (fence === undefined) return accepted;
      const { command, aggregate, sealed } = acceptance;
      return {
        ...accepted,
        claim: {
          command,
          aggregate,
          fence: asNumber(fence),
          attempt: asNumber(attempt),
          accepted: decode(source, at, `${asNumber(third)}${entry}`),
          ...(sealed ? { sealed } : {}),
          steps: [],
        },
      };
    }
    default:
      throw StoreUnavailable({ reason: 'an answer of another shape to an acceptance' });
  }
}

/** One claim of the function's answer; undefined for a command whose event the log lost. */
export function toClaim(source: string, reply: unknown): Claim | undefined {
  const [command, aggregate, fence, attempt, position, entry, sealed, ...rest] = asList(reply);
  if (aggregate === undefined) return undefined;
  const steps: [number, RecordedEvent][] = [];
  for (let i = 0; i < rest.length; i += 3) {
    steps.push([asNumber(rest[i]), decode(source, asPosition(rest[i + 1]), asText(rest[i + 2]))]);
  }
  return {
    command: asText(command),
    aggregate: asText(aggregate),
    fence: asNumber(fence),
    attempt: asNumber(attempt),
    accepted: decode(source, asPosition(position), asText(entry)),
    ...unseal(sealed),
    steps: steps.sort(([a], [b]) => a - b).map(([, event]) => event),
  };
}

export function finishArguments({ claim, observations = [], sealed }: Finish, entry: string, keepResults: number): readonly Argument[] {
  const { command, aggregate, fence } = claim;
  return [
    command,
    aggregate,
    fence,
    outcomeBucket(command),
    entry,
    seal(sealed),
    keepResults,
    ...observations.flatMap(observationArguments),
  ];
}

export function toFinished(source: string, entry: string, reply: readonly unknown[]): Exclude<Finished, { outcome: 'duplicate' }> {
  const [outcome, position, version, last] = reply;
  if (outcome === 'lost') return { outcome };
  if (outcome !== 'finished') throw StoreUnavailable({ reason: 'an answer of another shape to an outcome' });
  return { outcome, position: asPosition(last), event: decode(source, asPosition(position), `${asNumber(version)}${entry}`) };
}

/** Digests are kept beside ids in small hashes, which hold values of up to 64 bytes compactly: 96 bits of them tell requests apart. */
export const shortDigest = (digest: string): string => createHash('sha256').update(digest).digest('base64url').slice(0, 16);
