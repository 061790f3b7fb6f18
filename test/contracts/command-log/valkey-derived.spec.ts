import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createValkeyCommandLog, createValkeyEventStore, type ValkeyConnection } from '../../../adapters/valkey/index.ts';
import { StoreUnavailable } from '../../../domain/errors.ts';
import { acceptance, fact, readAll } from '../../support/stores/index.ts';
import { clusterOn, noValkey, type ValkeyServer, valkeyServer } from '../../support/valkey/index.ts';

const all = { owner: 'b', lease: 60_000, limit: 100 };

describe.skipIf(noValkey)('queues are derived from the log', () => {
  let server: ValkeyServer;
  let connection: ValkeyConnection;
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server.stop());
  afterEach(() => connection.stop({ deadline: 0 }));
  const fresh = async () => {
    connection = await clusterOn(server);
    return { commands: createValkeyCommandLog(connection), store: createValkeyEventStore(connection) };
  };
  const losing = async (pattern: RegExp) => {
    const found = await server.cli('KEYS', '*');
    for (const key of Array.isArray(found) ? found.map(String) : []) {
      if (key.startsWith(connection.tag) && pattern.test(key.slice(connection.tag.length + 1))) await server.cli('DEL', key);
    }
  };

  test('lost queues are made anew in order, with steps and parking places', async () => {
    const { commands } = await fresh();
    for (const id of ['p1', 'c1', 'c2']) await commands.accept(acceptance(id));
    const [p1] = await commands.claim(all);
    if (p1) await commands.park(p1, { ...fact('parked', 'CommandParked'), data: { reason: 'gave up' } }, 'gave up');
    const [c1] = await commands.claim(all);
    if (c1) await commands.step(c1, 1, fact('made'));
    await losing(/^(queue|ready|open|parked|command|fence)/);
    expect(await commands.depth()).toEqual({ waiting: 0, claimed: 0, parked: 0 });
    expect(await commands.rebuild()).toBe(3);
    expect(await commands.depth()).toEqual({ waiting: 2, claimed: 0, parked: 1 });
    expect((await commands.parked({ offset: 0, limit: 9 })).items).toMatchObject([{ command: 'p1', reason: 'gave up' }]);
    const [again] = await commands.claim(all);
    expect(again).toMatchObject({ command: 'c1', steps: [{ data: { name: 'made' } }] });
    expect(again?.fence).toBeGreaterThan(c1?.fence ?? 0);
    if (c1) expect(await commands.finish({ claim: c1, event: fact('late') })).toEqual({ outcome: 'lost' });
    if (again) await commands.finish({ claim: again, event: fact('done') });
    expect(await commands.claim(all)).toMatchObject([{ command: 'c2' }]);
  });

  test('appends while queues are made anew are not lost', async () => {
    const { commands, store } = await fresh();
    for (let i = 0; i < 30; i++) await commands.accept(acceptance(`a${i}`, { aggregate: `x/${i % 3}` }));
    const [count] = await Promise.all([
      commands.rebuild(),
      ...Array.from({ length: 30 }, (_, i) => commands.accept(acceptance(`b${i}`, { aggregate: `x/${i % 3}` }))),
    ]);
    expect(count).toBeGreaterThanOrEqual(30);
    expect(await commands.depth()).toEqual({ waiting: 60, claimed: 0, parked: 0 });
    const order = (await readAll(store)).map(({ stream }) => stream.slice('command/'.length));
    const done: string[] = [];
    for (let more = true; more; ) {
      const claims = await commands.claim(all);
      more = claims.length > 0;
      for (const claim of claims) {
        done.push(claim.command);
        await commands.finish({ claim, event: fact('done') });
      }
    }
    for (let x = 0; x < 3; x++) {
      const of = (names: readonly string[]) => names.filter((name) => Number(name.slice(1)) % 3 === x);
      expect(of(done)).toEqual(of(order));
    }
  });

  test('a queue whose event a failover lost goes on without it', async () => {
    const { commands } = await fresh();
    const lost = await commands.accept(acceptance('c1'));
    await commands.accept(acceptance('c2'));
    await server.cli('XDEL', `${connection.tag}:log`, 'position' in lost ? lost.position : '');
    const claims = [...(await commands.claim(all)), ...(await commands.claim(all))];
    expect(claims).toMatchObject([{ command: 'c2' }]);
    expect(await commands.depth()).toEqual({ waiting: 0, claimed: 1, parked: 0 });
  });

  test('a key of another kind fails the one call that needs it, not those that travel with it', async () => {
    const { commands } = await fresh();
    await server.cli('SET', `${connection.tag}:queue:broken`, 'not a list');
    const [first, second, third] = await Promise.allSettled(
      ['a/1', 'broken', 'a/2'].map((aggregate, i) => commands.accept(acceptance(`c${i}`, { aggregate }))),
    );
    expect([first?.status, third?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(second?.status === 'rejected' && StoreUnavailable.is(second.reason) && second.reason.message).toMatch(/WRONGTYPE/);
    expect(await commands.depth()).toEqual({ waiting: 2, claimed: 0, parked: 0 });
  });

  test('flushed functions are loaded again by whoever needs one', async () => {
    const { commands } = await fresh();
    await commands.accept(acceptance('c1'));
    await server.cli('FUNCTION', 'FLUSH');
    const [first, second] = await Promise.all([commands.accept(acceptance('c1')), commands.accept(acceptance('c2'))]);
    expect(first).toMatchObject({ outcome: 'open' });
    expect(second).toMatchObject({ outcome: 'accepted' });
  });

  test('another release’s library stands beside ours, and goes when a day has not used it', async () => {
    const { commands } = await fresh();
    const other = "#!lua name=mo_0123456789ab\nredis.register_function('mo_0123456789ab_accept', function() return 'other' end)";
    await server.cli('FUNCTION', 'LOAD', 'REPLACE', other);
    expect(await commands.accept(acceptance('c1'))).toMatchObject({ outcome: 'accepted' });
    const time = await server.cli('TIME');
    const seconds = Array.isArray(time) ? Number(time[0]) : 0;
    await server.cli('HSET', `${connection.tag}:libraries`, 'mo_0123456789ab', `${(seconds - 3_600) * 1_000}`);
    expect(await connection.deleteUnusedLibraries()).toEqual([]);
    await server.cli('HSET', `${connection.tag}:libraries`, 'mo_0123456789ab', `${(seconds - 90_000) * 1_000}`);
    expect(await connection.deleteUnusedLibraries()).toEqual(['mo_0123456789ab']);
    await expect(server.cli('FCALL', 'mo_0123456789ab_accept', '0')).rejects.toThrow(/not found/);
    expect(await commands.accept(acceptance('c1'))).toMatchObject({ outcome: 'open' });
  });
});
