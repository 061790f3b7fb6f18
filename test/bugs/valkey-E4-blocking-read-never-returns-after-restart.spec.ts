import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createValkeyEventStore, type ValkeyConnection } from '../../adapters/valkey/index.ts';
import { StoreUnavailable } from '../../domain/errors.ts';
import { origin } from '../../domain/event/index.ts';
import type { EventStore } from '../../domain/ports/index.ts';
import { events } from '../support/stores/index.ts';
import { clusterOn, noValkey, type ValkeyServer, valkeyProxy, valkeyServer } from '../support/valkey/index.ts';

/** redis/ioredis #1285, taskforcesh/bullmq #4479: the worker was dead without an error. */
describe.skipIf(noValkey)('a reader that blocks', () => {
  let server: ValkeyServer;
  beforeAll(async () => {
    server = await valkeyServer({ appendonly: true, appendfsync: 'always' });
  });
  afterAll(() => server.stop());

  const follow = (store: EventStore, count: number) => {
    const stop = new AbortController();
    const seen: string[] = [];
    const done = (async () => {
      for await (const some of store.log(origin, { follow: stop.signal })) {
        seen.push(...some.map(({ id }) => id));
        if (seen.length >= count) stop.abort();
      }
      return seen;
    })();
    return { seen, done };
  };
  /** Until a client of ours waits in XREAD BLOCK. */
  const blocked = async () => {
    while (!String(await server.cli('INFO', 'clients')).match(/blocked_clients:[1-9]/));
  };
  /** Until it is answered, as a caller does: the same id gives one entry. */
  const append = async (connection: ValkeyConnection, id: string) => {
    const store = createValkeyEventStore(connection);
    for (;;) {
      try {
        return await store.append({ stream: 'task/1', events: events('a'), expected: 'any', id });
      } catch (error) {
        if (!StoreUnavailable.is(error)) throw error;
        await connection.whenReady(AbortSignal.timeout(30_000));
      }
    }
  };

  test('goes on after Valkey was restarted', async () => {
    const connection = await clusterOn(server);
    const store = createValkeyEventStore(connection);
    const reader = follow(store, 3);
    await append(connection, '1');
    for (const id of ['2', '3']) {
      await blocked();
      await server.restart();
      await append(connection, id);
    }
    expect(await reader.done).toEqual(['1/1', '2/1', '3/1']);
    await connection.stop({ deadline: 0 });
  });

  test('goes on after its socket was cut', async () => {
    const proxy = await valkeyProxy(server);
    const connection = await clusterOn({ port: proxy.port });
    const store = createValkeyEventStore(connection);
    const reader = follow(store, 2);
    await append(connection, '1');
    await blocked();
    proxy.cutAll();
    await append(connection, '2');
    expect(await reader.done).toEqual(['1/1', '2/1']);
    await connection.stop({ deadline: 0 });
    await proxy.close();
  });

  test('notices a socket that says nothing any more', async () => {
    const proxy = await valkeyProxy(server);
    const connection = await clusterOn({ port: proxy.port }, { block: 50 });
    const direct = await clusterOn(server, { clusterId: connection.clusterId });
    const store = createValkeyEventStore(connection);
    const reader = follow(store, 2);
    await append(connection, '1');
    await blocked();
    proxy.freeze();
    await append(direct, '2');
    expect(await reader.done).toEqual(['1/1', '2/1']);
    await Promise.all([connection.stop({ deadline: 0 }), direct.stop({ deadline: 0 })]);
    await proxy.close();
  });
});
