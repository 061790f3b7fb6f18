import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  createValkeyCommandLog,
  createValkeyEventStore,
  createValkeyLogKeeper,
  keys,
  type ValkeyConnection,
} from '../../../adapters/valkey/index.ts';
import { comparePositions, origin, type Position, type RecordedEvent } from '../../../domain/event/index.ts';
import { acceptance, collect, events, fact, observation, readAll } from '../../support/stores/index.ts';
import { clusterOn, noValkey, type ValkeyServer, valkeyServer } from '../../support/valkey/index.ts';

const far: Position = '99999999999999-0';

describe.skipIf(noValkey)('what lies in Valkey', () => {
  let server: ValkeyServer;
  let connection: ValkeyConnection;
  const all = async (): Promise<readonly string[]> => {
    const found = await server.cli('KEYS', '*');
    return Array.isArray(found) ? found.map(String) : [];
  };
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server.stop());
  const fresh = async () => {
    await server.cli('FLUSHALL');
    connection = await clusterOn(server);
    return {
      store: createValkeyEventStore(connection),
      commands: createValkeyCommandLog(connection),
      keeper: createValkeyLogKeeper(connection),
    };
  };
  afterEach(() => connection.stop({ deadline: 0 }));

  /** One of everything, so that every kind of key is there. */
  const everything = async () => {
    const { store, commands, keeper } = await fresh();
    await store.append({ stream: 'task/1', events: events('a', 'b'), expected: 'any', id: 'x', term: 3 });
    await store.observe([observation('object/a/b', 'u1', '1'), observation('object/a/c', 'u2', '1', true)]);
    const sealed = new Uint8Array([1, 2, 3]);
    for (const id of ['c1', 'c2', 'c3', 'c4']) await commands.accept(acceptance(id, { aggregate: `a/${id}`, sealed }));
    const [one, two] = await commands.claim({ owner: 'a', lease: 60_000, limit: 3 });
    if (!one || !two) throw new Error('not claimed');
    await commands.finish({ claim: one, event: fact('done'), sealed });
    await commands.park(two, fact('parked'), 'reason');
    const [first] = await readAll(store);
    await keeper.markArchived(first?.position ?? origin);
    await keeper.trim(far);
    return { store, commands, keeper };
  };

  test('every key is in the list that the docs are made from, with its type', async () => {
    await everything();
    const found = new Set<string>();
    for (const key of await all()) {
      expect(key.startsWith(`${connection.tag}:`), key).toBe(true);
      const name = key.slice(connection.tag.length + 1);
      const doc = keys.find((one) => new RegExp(`^${one.name.replaceAll(/<[^>]+>/g, '.+')}$`).test(name));
      expect(doc, key).toBeDefined();
      expect(await server.cli('TYPE', key)).toBe({ 'sorted set': 'zset' }[String(doc?.type)] ?? doc?.type);
      if (doc) found.add(doc.name);
    }
    expect([...found].sort()).toEqual(keys.map(({ name }) => name).sort());
  });

  test('a finished command leaves its events, its version and its id, nothing else', async () => {
    const { commands } = await fresh();
    const before = (await all()).length;
    for (let i = 0; i < 3; i++) {
      const answer = await commands.accept(acceptance(`c${i}`, { sealed: new Uint8Array([1]), claim: { owner: 'a', lease: 1_000 } }));
      if ('claim' in answer && answer.claim) await commands.finish({ claim: answer.claim, event: fact() });
    }
    const names = (await all()).map((key) => key.slice(connection.tag.length + 1).replace(/^ids:\d+:\d+$/, 'ids'));
    expect([...new Set(names)].sort()).toEqual(['fence', 'ids', 'libraries', 'log', 'mark', 'versions']);
    expect(before).toBe(1);
  });

  test('trimming takes versions of commands and gone objects along, and keeps those of others', async () => {
    const { store, commands, keeper } = await fresh();
    await store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: 'x' });
    await store.observe([observation('object/a/b', 'u1', '1', true)]);
    const answer = await commands.accept(acceptance('c1', { claim: { owner: 'a', lease: 1_000 } }));
    if ('claim' in answer && answer.claim) await commands.finish({ claim: answer.claim, event: fact() });
    await keeper.markArchived(await store.end());
    await keeper.trim(far);
    expect(await server.cli('HGETALL', `${connection.tag}:versions`)).toEqual(['task/1', '1']);
    expect((await all()).filter((key) => key.includes(':positions:'))).toEqual([]);
  });

  test('ids lie in lists that Valkey stores compactly', async () => {
    const { store } = await fresh();
    const long = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
    for (let i = 0; i < 20; i++) {
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: `${long}-${i}-${n}/accepted` }),
        ),
      );
    }
    const ids = (await all()).filter((key) => key.includes(':ids:'));
    expect(ids.length).toBeGreaterThan(1_000);
    for (const key of ids.slice(0, 50)) expect(await server.cli('OBJECT', 'ENCODING', key)).toBe('listpack');
  });

  test('ids of the days before yesterday are forgotten, those of yesterday count', async () => {
    const { store, keeper } = await fresh();
    const first = await store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: 'x' });
    const [key = ''] = (await all()).filter((name) => name.includes(':ids:'));
    const [, day = '', bucket = ''] = /:ids:(\d+):(\d+)$/.exec(key) ?? [];
    const of = (before: number) => `${connection.tag}:ids:${Number(day) - before}:${bucket}`;
    await server.cli('RENAME', key, of(1));
    expect(await store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: 'x' })).toEqual({
      ...first,
      outcome: 'duplicate',
    });
    await server.cli('HSET', of(2), 'old', '1-0 1');
    await server.cli('HSET', of(3), 'older', '1-0 1');
    await server.cli('SET', `${connection.tag}:ids:kept`, `${Number(day) - 3} 0`);
    await keeper.trim(origin);
    expect((await all()).filter((name) => /:ids:\d/.test(name))).toEqual([of(1)]);
  });

  test('a reader that keeps its place elsewhere notices that a failover lost the tail', async () => {
    const { store, keeper } = await fresh();
    await store.append({ stream: 'task/1', events: events('a', 'b', 'c'), expected: 'any', id: 'x' });
    const [first, second] = await readAll(store);
    if (!first || !second) throw new Error('not appended');
    expect(await store.has(second.position, 'x/2')).toBe('present');
    expect(await store.has(second.position, 'y/2')).toBe('absent');
    await keeper.markArchived(first.position);
    await keeper.trim(first.position);
    expect(await store.has(first.position, 'x/1')).toBe('trimmed');
    await server.cli('XDEL', `${connection.tag}:log`, second.position);
    expect(await store.has(second.position, 'x/2')).toBe('absent');
  });

  test('history goes on from the archive without a seam', async () => {
    const { store, keeper } = await fresh();
    for (let i = 0; i < 6; i++)
      await store.append({ stream: i % 2 ? 'task/1' : 'task/2', events: events('a', 'b'), expected: 'any', id: `${i}` });
    const whole = await readAll(store);
    // It holds more than was trimmed: what is in both must not come twice.
    const kept = whole.slice(0, 8);
    const archive = {
      async *log(after: Position) {
        const left = kept.filter(({ position }) => comparePositions(position, after) > 0);
        for (let i = 0; i < left.length; i += 3) yield left.slice(i, i + 3);
      },
      async *read(stream: string, after: number): AsyncGenerator<RecordedEvent> {
        yield* kept.filter((event) => event.stream === stream && event.version > after);
      },
      find: async (position: Position) => kept.find((event) => event.position === position),
    };
    await keeper.markArchived(kept[7]?.position ?? origin);
    await keeper.trim(kept[4]?.position ?? origin);
    const reading = createValkeyEventStore(connection, { archive });
    expect(await readAll(reading, origin, 2)).toEqual(whole);
    expect(await readAll(reading, kept[2]?.position)).toEqual(whole.slice(3));
    expect(await collect(reading.read('task/1'))).toEqual(whole.filter(({ stream }) => stream === 'task/1'));
    expect(await collect(reading.read('task/2', 2))).toEqual(whole.filter(({ stream, version }) => stream === 'task/2' && version > 2));
  });

  test('an outcome that was trimmed is answered from the archive', async () => {
    const { store, commands, keeper } = await fresh();
    const answer = await commands.accept(acceptance('c1', { claim: { owner: 'a', lease: 1_000 } }));
    if ('claim' in answer && answer.claim) await commands.finish({ claim: answer.claim, event: fact('done') });
    const whole = await readAll(store);
    await keeper.markArchived(await store.end());
    await keeper.trim(far);
    const find = async (position: Position) => whole.find((event) => event.position === position);
    const archive = { find, log: async function* () {}, read: async function* () {} };
    expect(await createValkeyCommandLog(connection, { archive }).accept(acceptance('c1'))).toEqual({
      outcome: 'finished',
      event: whole[1],
    });
  });
});
