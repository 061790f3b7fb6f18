import { expect, test } from 'vitest';
import { PositionTrimmed, StreamNotIndexed } from '../../../domain/errors.ts';
import { comparePositions, origin, type RecordedEvent, type StreamName } from '../../../domain/event/index.ts';
import { appended, collect, events, fact, type OpenStore, readAll } from '../../support/stores/index.ts';

const stream: StreamName = 'object/v1/pods/shop/web';

export function reading(open: OpenStore): void {
  test('an empty log reads as empty', async () => {
    const { events: store } = await open();
    expect(await readAll(store)).toEqual([]);
    expect(await store.end()).toBe('0-0');
    expect(await store.extent()).toEqual({ first: '0-0', last: '0-0', events: 0 });
    expect(await collect(store.read(stream))).toEqual([]);
  });

  test('positions rise with every event', async () => {
    const { events: store } = await open();
    for (let i = 0; i < 20; i++) await store.append({ stream, events: events('a', 'b', 'c'), expected: 'any', id: `${i}` });
    const positions = (await readAll(store)).map(({ position }) => position);
    expect(positions).toHaveLength(60);
    for (const [i, position] of positions.entries())
      if (i > 0) expect(comparePositions(positions[i - 1] ?? origin, position)).toBeLessThan(0);
  });

  test('the extent counts what is there', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a', 'b'), expected: 'any', id: 'x' });
    const all = await readAll(store);
    expect(await store.extent()).toEqual({ first: all[0]?.position, last: all[1]?.position, events: 2 });
  });

  test('a stream is read oldest first, and only its own events', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a', 'b'), expected: 'any', id: 'x' });
    await store.append({ stream: 'task/1', events: events('other'), expected: 'any', id: 'y' });
    await store.append({ stream, events: events('c'), expected: 'any', id: 'z' });
    expect((await collect(store.read(stream))).map(({ data }) => data)).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  });

  test.each([
    [0, 5],
    [2, 3],
    [5, 0],
    [99, 0],
  ])('a stream of 5 after version %i gives %i', async (after, count) => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a', 'b', 'c', 'd', 'e'), expected: 'any', id: 'x' });
    const found = await collect(store.read(stream, after));
    expect(found.map(({ version }) => version)).toEqual(Array.from({ length: count }, (_, i) => after + 1 + i));
  });

  test('a long stream is read to its end', async () => {
    const { events: store } = await open();
    for (let i = 0; i < 4; i++) {
      await store.append({ stream, events: Array.from({ length: 100 }, (_, n) => fact(`${n}`)), expected: 'any', id: `${i}` });
    }
    await store.append({ stream, events: events('last'), expected: 'any', id: 'last' });
    const found = await collect(store.read(stream));
    expect(found.map(({ version }) => version)).toEqual(Array.from({ length: 401 }, (_, i) => i + 1));
  });

  test('streams of commands keep no index', async () => {
    const { events: store } = await open();
    await store.append({ stream: 'command/c1', events: events('a'), expected: 'any', id: 'x' });
    await expect((async () => collect(store.read('command/c1')))()).rejects.toSatisfy((error) => StreamNotIndexed.is(error));
    expect(await readAll(store)).toHaveLength(1);
  });

  test.each([1, 2, 3, 7, 100])('the log in batches of %i misses nothing and repeats nothing', async (batch) => {
    const { events: store } = await open();
    for (let i = 0; i < 7; i++) await store.append({ stream, events: events('a'), expected: 'any', id: `${i}` });
    const sizes: number[] = [];
    const ids: string[] = [];
    for await (const some of store.log(origin, { batch })) {
      sizes.push(some.length);
      ids.push(...some.map(({ id }) => id));
    }
    expect(ids).toEqual(['0/1', '1/1', '2/1', '3/1', '4/1', '5/1', '6/1']);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(batch);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
  });

  test('the log is read after a position, without the event there', async () => {
    const { events: store } = await open();
    const { position } = appended(await store.append({ stream, events: events('a', 'b'), expected: 'any', id: 'x' }));
    await store.append({ stream, events: events('c'), expected: 'any', id: 'y' });
    expect((await readAll(store, position)).map(({ id }) => id)).toEqual(['y/1']);
  });

  test('after the end there is nothing', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a'), expected: 'any', id: 'x' });
    expect(await readAll(store, await store.end())).toEqual([]);
    expect(await readAll(store, '99999999999999-0')).toEqual([]);
  });

  test('a reader may stop in the middle', async () => {
    const { events: store } = await open();
    for (let i = 0; i < 9; i++) await store.append({ stream, events: events('a'), expected: 'any', id: `${i}` });
    for await (const some of store.log(origin, { batch: 2 })) {
      expect(some).toHaveLength(2);
      break;
    }
    expect(await readAll(store)).toHaveLength(9);
  });

  test('a follower gets what is there and then what comes', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a'), expected: 'any', id: '0' });
    const follow = new AbortController();
    const seen: string[] = [];
    for await (const some of store.log(origin, { follow: follow.signal })) {
      seen.push(...some.map(({ id }) => id));
      if (seen.length === 4) follow.abort();
      else await store.append({ stream, events: events('a'), expected: 'any', id: `${seen.length}` });
    }
    expect(seen).toEqual(['0/1', '1/1', '2/1', '3/1']);
  });

  test('a follower that waits ends without an error when it is told to', async () => {
    const { events: store } = await open();
    const follow = new AbortController();
    const reading = (async () => {
      const seen: RecordedEvent[] = [];
      for await (const some of store.log(origin, { follow: follow.signal })) seen.push(...some);
      return seen;
    })();
    await store.end();
    follow.abort();
    expect(await reading).toEqual([]);
  });

  test('a follower whose signal is aborted already reads nothing', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a'), expected: 'any', id: 'x' });
    const seen: unknown[] = [];
    for await (const some of store.log(origin, { follow: AbortSignal.abort() })) seen.push(some);
    expect(seen).toEqual([]);
  });

  test('50 writers at once: a follower sees each event once and in order', async () => {
    const { events: store } = await open();
    const follow = new AbortController();
    const seen: RecordedEvent[] = [];
    const reading = (async () => {
      for await (const some of store.log(origin, { follow: follow.signal, batch: 50 })) {
        seen.push(...some);
        if (seen.length >= 500) follow.abort();
      }
    })();
    await Promise.all(
      Array.from({ length: 50 }, async (_, writer) => {
        for (let i = 0; i < 10; i++) {
          await store.append({ stream: `task/${writer % 5}`, events: events('a'), expected: 'any', id: `${writer}-${i}` });
        }
      }),
    );
    await reading;
    expect(seen).toHaveLength(500);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(500);
    expect(seen.map(({ position }) => position)).toEqual([...seen.map(({ position }) => position)].sort(comparePositions));
    for (let task = 0; task < 5; task++) {
      expect(seen.filter((event) => event.stream === `task/${task}`).map(({ version }) => version)).toEqual(
        Array.from({ length: 100 }, (_, i) => i + 1),
      );
    }
  });

  test('two clients of one log see the same', async () => {
    const store = await open();
    const other = await store.again();
    await store.events.append({ stream, events: events('a'), expected: 'none', id: 'x' });
    expect(await other.events.append({ stream, events: events('a'), expected: 'none', id: 'x' })).toMatchObject({ outcome: 'duplicate' });
    expect(await readAll(other.events)).toEqual(await readAll(store.events));
  });

  test('reading from before what was trimmed says where history begins', async () => {
    const store = await open();
    await store.events.append({ stream, events: events('a', 'b', 'c'), expected: 'any', id: 'x' });
    const [first, second, third] = await readAll(store.events);
    await store.keeper.markArchived(second?.position ?? origin);
    await store.keeper.trim(second?.position ?? origin);
    await expect(readAll(store.events)).rejects.toSatisfy((error) => PositionTrimmed.is(error) && error.data.first === third?.position);
    await expect(readAll(store.events, first?.position)).rejects.toSatisfy((error) => PositionTrimmed.is(error));
    expect((await readAll(store.events, second?.position)).map(({ id }) => id)).toEqual(['x/3']);
  });
}
