import type { Position, RecordedEvent, StreamName } from '../../../domain/event/index.ts';

/** An event as a log would hold it. The same position gives the same event. */
export function recorded(position: Position, more: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    id: `append-${position}/0`,
    source: '/clusters/test',
    type: 'ThingHappened',
    schema: 1,
    time: '2026-01-01T00:00:00.000Z',
    stream: 'object/core/pods/shop/web',
    version: Number(position.split('-')[0]),
    position,
    data: { at: position, umlaut: 'grün' },
    ...more,
  };
}

/** Events at `<from>-0` to `<to>-0`, one stream after the other of `streams`, versions counted in each. */
export function recordedRange(
  from: number,
  to: number,
  streams: readonly StreamName[] = ['object/core/pods/shop/web'],
): readonly RecordedEvent[] {
  const found: RecordedEvent[] = [];
  for (let n = from; n <= to; n += 1) {
    const stream = streams[n % streams.length] ?? 'object/x';
    const version = Math.floor(n / streams.length) + (n % streams.length === 0 ? 0 : 1);
    found.push(recorded(`${n}-0`, { stream, version }));
  }
  return found;
}

/** As a store's `log` would give them. */
export async function* batches(events: readonly RecordedEvent[], size = 100): AsyncGenerator<readonly RecordedEvent[]> {
  for (let at = 0; at < events.length; at += size) yield events.slice(at, at + size);
}

export async function gather<T>(reading: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of reading) found.push(one);
  return found;
}

export async function flat<T>(reading: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  return (await gather(reading)).flat();
}
