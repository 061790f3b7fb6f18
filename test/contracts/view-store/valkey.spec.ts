import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createEmbeddedViewStore } from '../../../adapters/embedded/index.ts';
import { createValkeyViewStore, type ValkeyConnection } from '../../../adapters/valkey/index.ts';
import { origin } from '../../../domain/event/index.ts';
import type { ViewId, ViewWrite } from '../../../domain/ports/index.ts';
import { createFakeClock } from '../../support/fake-clock/index.ts';
import { clusterOn, noValkey, type ValkeyServer, valkeyServer } from '../../support/valkey/index.ts';
import { describeBuilds } from './builds.ts';
import { describeIndexes, describeRows, dumpOf, place, put, write } from './suite.ts';

describe.skipIf(noValkey)('views in Valkey', () => {
  let server: ValkeyServer;
  const opened: ValkeyConnection[] = [];
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server?.stop());
  afterEach(async () => {
    for (const connection of opened.splice(0)) await connection.stop({ deadline: 1_000 });
  });
  const connect = async () => {
    const connection = await clusterOn(server);
    opened.push(connection);
    return connection;
  };
  const open = async () => ({ views: createValkeyViewStore(await connect()) });

  describeRows(open);
  describeIndexes(open);
  describeBuilds(open);

  const keysOf = async ({ tag }: ValkeyConnection, view: ViewId): Promise<readonly string[]> => {
    const found = await server.cli('KEYS', `${tag.replace(/[[\]?*]/g, '\\$&')}:view:${view.name}:*`);
    return Array.isArray(found)
      ? found
          .map(String)
          .map((key) => key.slice(tag.length))
          .sort()
      : [];
  };

  test('a checkpoint that is no position is said, not reset, and nothing is written behind it', async () => {
    const connection = await connect();
    const views = createValkeyViewStore(connection);
    const view = await views.begin('v', 1);
    await views.makeLive(view, undefined);
    await server.cli('SET', `${connection.tag}:view:v:1.1:at`, 'foreign');
    expect(await views.apply([{ view, from: origin, to: '1-0', writes: [put('a', 'p', '1')] }])).toEqual([
      { outcome: 'corrupt', found: 'foreign' },
    ]);
    expect(await views.builds('v')).toEqual([{ view, checkpoint: { corrupt: 'foreign' }, live: true }]);
    expect(await views.rows(view, ['a'])).toEqual([undefined]);
    const next = await views.begin('v', 1);
    expect(await views.makeLive(next, view)).toBe('live');
  });

  test('rows that are removed, capped, expired and dropped leave no key behind', async () => {
    const connection = await connect();
    const views = createValkeyViewStore(connection);
    const view = await views.begin('v', 1);
    const rows = Array.from({ length: 40 }, (_, i) => [put(`k${i}`, 'p', '1'), place(`k${i}`, { all: i, [`bucket:${i % 5}`]: i })]).flat();
    await write(views, view, origin, '1-0', rows);
    await write(views, view, '1-0', '2-0', [
      { op: 'remove', key: 'k39' },
      { op: 'expire', index: 'all', below: 10, limit: 100 },
      { op: 'cap', index: 'all', keep: 0 },
    ]);
    expect(await keysOf(connection, view)).toEqual([':view:v:1.1:at', ':view:v:builds', ':view:v:generation']);
    await write(views, view, '2-0', '3-0', rows);
    await views.drop(view);
    expect(await keysOf(connection, view)).toEqual([':view:v:generation']);
  });

  test('what a process left behind in the middle of a drop is removed by the next look', async () => {
    const connection = await connect();
    const views = createValkeyViewStore(connection);
    const view = await views.begin('v', 1);
    await write(views, view, origin, '1-0', [put('a', 'p', '1'), place('a', { all: 1 })]);
    await server.cli('DEL', `${connection.tag}:view:v:1.1:at`);
    expect(await views.builds('v')).toEqual([]);
    expect(await keysOf(connection, view)).toEqual([':view:v:generation']);
  });

  test('the former live build goes when its time is over', async () => {
    const connection = await connect();
    const views = createValkeyViewStore(connection);
    const [first, second] = [await views.begin('v', 1), await views.begin('v', 1)];
    await write(views, first, origin, '1-0', [put('a', 'p', '1')]);
    await write(views, second, origin, '1-0', [put('a', 'p', '1')]);
    await views.makeLive(first, undefined);
    await views.makeLive(second, first);
    expect(await views.builds('v')).toHaveLength(2);
    await server.cli('HSET', `${connection.tag}:view:v:builds`, '1.1', '1000');
    expect(await views.builds('v')).toEqual([{ view: second, checkpoint: '1-0', live: true }]);
    expect(await views.rows(first, ['a'])).toEqual([undefined]);
  });

  test('a batch far larger than what Lua takes at once arrives whole', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    await write(
      views,
      view,
      origin,
      '1-0',
      Array.from({ length: 6_000 }, (_, i) => [put(`k${i}`, 'p', '1'), place(`k${i}`, { all: i })]).flat(),
    );
    expect((await views.page(view, { index: 'all', order: 'ascending', offset: 5_998, limit: 9 })).keys).toEqual(['k5998', 'k5999']);
    await write(views, view, '1-0', '2-0', [{ op: 'cap', index: 'all', keep: 1 }]);
    expect(await dumpOf(views, view)).toEqual(['row "k5999" [["p","1"]]', 'index "all" 5999 "k5999"']);
  });

  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const index = fc.constantFrom('all', 'phase:x', 'phase:y', 'ns:x', 'ns:y');
  const score = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant('same' as const));
  const anyWrite: fc.Arbitrary<ViewWrite> = fc.oneof(
    fc.record({
      op: fc.constant('put' as const),
      key,
      part: fc.constantFrom('p', 'q', 'r'),
      value: fc.constantFrom('1', '2'),
      existing: fc.boolean(),
      once: fc.boolean(),
    }),
    fc.record({
      op: fc.constant('place' as const),
      key,
      indexes: fc.dictionary(index, score, { minKeys: 1, maxKeys: 1 }),
      existing: fc.boolean(),
    }),
    fc.record({ op: fc.constant('remove' as const), key }),
    fc.record({ op: fc.constant('cap' as const), index, keep: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ op: fc.constant('expire' as const), index, below: fc.integer({ min: 0, max: 3 }), limit: fc.integer({ min: 0, max: 2 }) }),
  );

  test('any writes leave the same in Valkey as in memory', async () => {
    const views = createValkeyViewStore(await connect());
    const memory = createEmbeddedViewStore({ clock: createFakeClock() });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyWrite, { maxLength: 25 }), { minLength: 1, maxLength: 4 }), async (batches) => {
        const [here, there] = [await views.begin('v', 1), await memory.begin('v', 1)];
        for (const [i, writes] of batches.entries()) {
          const [from, to] = [i === 0 ? origin : (`${i}-0` as const), `${i + 1}-0` as const];
          await write(views, here, from, to, writes);
          await write(memory, there, from, to, writes);
        }
        expect(await dumpOf(views, here)).toEqual(await dumpOf(memory, there));
        await views.drop(here);
      }),
      { seed: 20_261_201, numRuns: 400 },
    );
  });
});
