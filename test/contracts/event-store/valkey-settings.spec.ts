import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createValkeyCommandLog,
  createValkeyConnection,
  createValkeyEventStore,
  createValkeyLogKeeper,
  type ValkeyConnection,
} from '../../../adapters/valkey/index.ts';
import { StoreFull, StoreUnavailable, StoreUnsuitable } from '../../../domain/errors.ts';
import type { NewEvent } from '../../../domain/event/index.ts';
import { acceptance, events, fact, readAll } from '../../support/stores/index.ts';
import {
  clusterOn,
  noValkey,
  systemClock,
  testLog,
  type ValkeyServer,
  type ValkeyServerOptions,
  valkeyServer,
} from '../../support/valkey/index.ts';

describe.skipIf(noValkey)('what Valkey must be like', () => {
  const opened: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });
  const server = async (options: ValkeyServerOptions = {}): Promise<ValkeyServer> => {
    const made = await valkeyServer(options);
    opened.push(() => made.stop());
    return made;
  };
  const connect = async (to: ValkeyServer, more: Parameters<typeof clusterOn>[1] = {}): Promise<ValkeyConnection> => {
    const made = await clusterOn(to, more);
    opened.push(() => made.stop({ deadline: 0 }));
    return made;
  };

  test('an eviction policy is a start error that names the fix', async () => {
    const evicting = await server({ maxmemory: '100mb', maxmemoryPolicy: 'allkeys-lru' });
    await expect(clusterOn(evicting)).rejects.toSatisfy(
      (error) =>
        StoreUnsuitable.is(error) &&
        error.message.includes('allkeys-lru') &&
        error.data.remedy.includes('CONFIG SET maxmemory-policy noeviction'),
    );
  });

  test('durability fsync without an append-only file is a start error', async () => {
    await expect(clusterOn(await server(), { durability: 'fsync' })).rejects.toSatisfy(
      (error) => StoreUnsuitable.is(error) && error.data.remedy.includes('CONFIG SET appendonly yes'),
    );
  });

  test.each([
    ['everysec', { appendonly: false }, /appendonly is off/],
    ['everysec', { appendonly: true, appendfsync: 'no' }, /appendfsync is no/],
    ['fsync', { appendonly: true, appendfsync: 'everysec' }, /appendfsync always/],
    ['memory', {}, /may lose the log/],
  ] as const)('durability %s with %o is said to fall short', async (durability, options, warning) => {
    const state = (await connect(await server({ maxmemory: '1gb', ...options }), { durability })).state();
    expect(state).toMatchObject({ status: 'ready', durability, found: { warnings: [expect.stringMatching(warning)] } });
  });

  test.each([
    ['everysec', 'everysec'],
    ['fsync', 'always'],
  ] as const)('durability %s with appendfsync %s is well', async (durability, appendfsync) => {
    const state = (await connect(await server({ maxmemory: '1gb', appendonly: true, appendfsync }), { durability })).state();
    expect(state).toMatchObject({ status: 'ready', found: { warnings: [], appendonly: true, appendfsync, maxmemory: 1_073_741_824 } });
  });

  test('no bound of memory is said', async () => {
    const state = (await connect(await server({ appendonly: true }))).state();
    expect(state).toMatchObject({ found: { warnings: [expect.stringContaining('maxmemory is 0')] } });
  });

  test('what was answered with durability fsync is there after a SIGKILL', async () => {
    const durable = await server({ appendonly: true, appendfsync: 'always' });
    const connection = await connect(durable, { durability: 'fsync' });
    const store = createValkeyEventStore(connection);
    await Promise.all(
      Array.from({ length: 64 }, (_, i) => store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: `${i}` })),
    );
    await durable.kill();
    await durable.restart();
    await connection.whenReady(AbortSignal.timeout(30_000));
    expect(await readAll(store)).toHaveLength(64);
  });

  test('a password that is wrong is said without saying it', async () => {
    const locked = await server({ password: 'right-one' });
    const connection = await connect(locked, { password: 'wrong-one', patience: 300 });
    const state = connection.state();
    expect(state.status).toBe('away');
    expect(JSON.stringify(state)).toMatch(/WRONGPASS|invalid/i);
    expect(JSON.stringify(state)).not.toContain('wrong-one');
    expect((await connect(locked, { password: 'right-one' })).state().status).toBe('ready');
  });

  test('Valkey away at start: commands are refused at once, and answered when it comes', async () => {
    const late = await server();
    await late.kill();
    const connection = await connect(late, { patience: 20 });
    const store = createValkeyEventStore(connection);
    expect(connection.state().status).toBe('away');
    await expect(store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: 'x' })).rejects.toSatisfy((error) =>
      StoreUnavailable.is(error),
    );
    await late.restart();
    await connection.whenReady(AbortSignal.timeout(30_000));
    expect(await store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: 'x' })).toMatchObject({ outcome: 'appended' });
  });

  test('a start that is called off ends', async () => {
    const away = await server();
    await away.kill();
    const connection = createValkeyConnection({ host: away.host, port: away.port, clusterId: 'c', clock: systemClock, log: testLog });
    opened.push(() => connection.stop({ deadline: 0 }));
    await expect(connection.start(AbortSignal.abort(new Error('called off')))).rejects.toThrow('called off');
  });

  test('at maxmemory acceptances and appends are refused, and what is under way ends', async () => {
    const small = await server({ maxmemory: '100mb' });
    const connection = await connect(small);
    const [store, commands, keeper] = [
      createValkeyEventStore(connection),
      createValkeyCommandLog(connection),
      createValkeyLogKeeper(connection),
    ];
    const accepted = await commands.accept(acceptance('c1', { claim: { owner: 'a', lease: 60_000 } }));
    const parked = await commands.accept(acceptance('c2', { aggregate: 'a/2', claim: { owner: 'a', lease: 60_000 } }));
    if (!('claim' in accepted && accepted.claim && 'claim' in parked && parked.claim)) throw new Error('not claimed');
    const before = await store.end();
    await small.cli('CONFIG', 'SET', 'maxmemory', '1mb');

    const full = (error: unknown) => StoreFull.is(error) && error.status === 503;
    await expect(commands.accept(acceptance('c3'))).rejects.toSatisfy(full);
    await expect(store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: 'x' })).rejects.toSatisfy(full);
    await expect(store.observe([{ stream: 'object/a', uid: 'u', resourceVersion: '1', gone: false, event: fact() }])).rejects.toSatisfy(
      full,
    );
    expect(await store.end()).toBe(before);

    expect(await commands.renew(accepted.claim, 60_000)).toBe('renewed');
    expect(await commands.step(accepted.claim, 1, fact())).toBe('recorded');
    expect(await commands.finish({ claim: accepted.claim, event: fact('done') })).toMatchObject({ outcome: 'finished' });
    expect(await commands.park(parked.claim, fact(), 'reason')).toBe('parked');
    expect(await commands.discard('c2', fact())).toBe('discarded');
    await keeper.markArchived(await store.end());
    expect(await keeper.trim('99999999999999-0')).toMatchObject({ removed: 6 });
  });

  test('an error says nothing of what the command carried', async () => {
    const small = await server({ maxmemory: '100mb' });
    const store = createValkeyEventStore(await connect(small));
    await small.cli('CONFIG', 'SET', 'maxmemory', '1mb');
    const error = await store
      .append({ stream: 'task/1', events: [fact('open sesame')], expected: 'any', id: 'x' })
      .catch((thrown) => thrown);
    expect(StoreFull.is(error)).toBe(true);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('open sesame');
  });

  test('an event that can’t be written as JSON is refused whole', async () => {
    const store = createValkeyEventStore(await connect(await server()));
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const bad: NewEvent = { ...fact(), data: circle };
    await expect(store.append({ stream: 'task/1', events: [fact(), bad], expected: 'any', id: 'x' })).rejects.toThrow(TypeError);
    expect(await readAll(store)).toEqual([]);
  });
});
