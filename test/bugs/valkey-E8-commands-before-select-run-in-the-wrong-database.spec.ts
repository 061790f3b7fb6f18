import { describe, expect, test } from 'vitest';
import { createValkeyEventStore } from '../../adapters/valkey/index.ts';
import { origin } from '../../domain/event/index.ts';
import { events } from '../support/stores/index.ts';
import { clusterOn, noValkey, valkeyProxy, valkeyServer } from '../support/valkey/index.ts';

describe.skipIf(noValkey)('redis/ioredis #42', () => {
  test('in database 3 nothing ever lands in database 0, however often the connection breaks', async () => {
    const server = await valkeyServer();
    const proxy = await valkeyProxy(server);
    const connection = await clusterOn({ port: proxy.port }, { database: 3 });
    const store = createValkeyEventStore(connection);
    const stop = new AbortController();
    const seen = new Set<string>();
    const reading = (async () => {
      for await (const some of store.log(origin, { follow: stop.signal })) for (const { id } of some) seen.add(id);
    })();
    for (let round = 0; round < 5; round++) {
      const writes = Array.from({ length: 20 }, (_, i) =>
        store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: `${round}-${i}` }),
      );
      proxy.cutAll();
      await Promise.allSettled(writes);
      // Sent again as soon as somebody answers: what came before a SELECT would show in database 0.
      await connection.whenReady(AbortSignal.timeout(30_000));
      for (let i = 0; i < 20; i++) await store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: `${round}-${i}` });
    }
    while (seen.size < 100) await store.end();
    stop.abort();
    await reading;
    expect(String(await server.cli('INFO', 'keyspace'))).toMatch(/db3:keys=\d+/);
    expect(String(await server.cli('INFO', 'keyspace'))).not.toContain('db0:');
    await connection.stop({ deadline: 0 });
    await proxy.close();
    await server.stop();
  });
});
