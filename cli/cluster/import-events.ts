import type { RecordedEvent } from '../../domain/event/index.ts';
import type { EventStore } from '../../domain/ports/index.ts';

/**
 * Appends events of an export in their order, each under its own id: the same file again adds nothing. They get positions of this log, and ids
 * that end in `/1`, so the ids they refer to do too. Their times stay.
 */
export async function importEvents(
  store: EventStore,
  events: readonly RecordedEvent[],
): Promise<{ readonly imported: number; readonly known: number }> {
  let imported = 0;
  // One after the other: their order is what they are about.
  for (const { id, stream, position: _, version: __, source: ___, causationid, ...event } of events) {
    const appended = await store.append({
      stream,
      expected: 'any',
      id,
      events: [{ ...event, ...(causationid === undefined ? {} : { causationid: `${causationid}/1` }) }],
    });
    if (appended.outcome === 'appended') imported += 1;
  }
  return { imported, known: events.length - imported };
}
