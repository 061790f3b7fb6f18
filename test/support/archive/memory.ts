import { createEmbeddedStore, type EmbeddedStore } from '../../../adapters/embedded/index.ts';
import type { RecordedEvent, StreamName } from '../../../domain/event/index.ts';
import { before } from '../../../domain/history/index.ts';
import type { EventStore } from '../../../domain/ports/index.ts';
import { createFakeClock, type FakeClock } from '../fake-clock/index.ts';
import { flat } from './events.ts';

/** A log in memory with a clock of its own. */
export function memoryLog(): EmbeddedStore & { readonly clock: FakeClock } {
  const clock = createFakeClock();
  return { ...createEmbeddedStore({ clusterId: 'test', clock }), clock };
}

/** Appends `count` events to the streams in turn and returns what is in the log. */
export async function fill(
  store: EventStore,
  count: number,
  streams: readonly StreamName[] = ['object/core/pods/shop/web'],
  run = 'r',
): Promise<readonly RecordedEvent[]> {
  for (let n = 0; n < count; n += 100) {
    await store.appendAll(
      Array.from({ length: Math.min(100, count - n) }, (_, i) => ({
        stream: streams[(n + i) % streams.length] ?? 'object/x',
        events: [{ type: 'ThingHappened', schema: 1, time: '2026-01-01T00:00:00.000Z', data: { n: n + i } }],
        expected: 'any' as const,
        id: `${run}-${n + i}`,
      })),
    );
  }
  return flat(store.log(before((await store.extent()).first)));
}
