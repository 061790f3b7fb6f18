import { type NewEvent, origin, type Position, type RecordedEvent, type StreamName } from '../../../domain/event/index.ts';
import type { Acceptance, Appended, Claim, EventStore, Observation } from '../../../domain/ports/index.ts';
import type { StoreUnderTest } from './stores.ts';

/** An event whose data tells it from others. */
export const fact = (name = 'one', type = 'ThingHappened'): NewEvent => ({
  type,
  schema: 1,
  time: '2026-01-01T00:00:00.000Z',
  data: { name },
});

export const events = (...names: readonly string[]): readonly NewEvent[] => names.map((name) => fact(name));

export const observation = (stream: StreamName, uid: string, resourceVersion: string, gone = false): Observation => ({
  stream,
  uid,
  resourceVersion,
  gone,
  event: fact(`${uid}@${resourceVersion}`, gone ? 'ObjectVanished' : 'ObjectChanged'),
});

export const acceptance = (command: string, more: Partial<Acceptance> = {}): Acceptance => ({
  command,
  aggregate: 'workspace/shop',
  digest: 'digest-of-the-request',
  event: { ...fact(command, 'CommandAccepted'), data: { pattern: 'create/workspace', name: command } },
  deadline: Date.UTC(2100, 0, 1),
  ...more,
});

/** Accepts a command and claims it. */
export async function head(store: StoreUnderTest, command: string, more: Partial<Acceptance> = {}): Promise<Claim> {
  const accepted = await store.commands.accept(acceptance(command, { claim: { owner: 'a', lease: 60_000 }, ...more }));
  if (accepted.outcome !== 'accepted' || !accepted.claim) throw new Error(`${command} was not claimed: ${accepted.outcome}`);
  return accepted.claim;
}

/** The answer of an append that wrote. */
export function appended(answer: Appended): { readonly version: number; readonly position: Position } {
  if (answer.outcome !== 'appended') throw new Error(`not appended: ${answer.outcome}`);
  return answer;
}

export async function collect(reading: AsyncIterable<RecordedEvent>): Promise<readonly RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for await (const event of reading) found.push(event);
  return found;
}

/** The whole log after a position. */
export async function readAll(store: EventStore, after: Position = origin, batch = 250): Promise<readonly RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for await (const some of store.log(after, { batch })) found.push(...some);
  return found;
}
