import { describe, expect, test } from 'vitest';
import { createValkeyCommandLog, createValkeyEventStore } from '../../adapters/valkey/index.ts';
import { acceptance, events } from '../support/stores/index.ts';
import { clusterOn, noValkey, valkeyServer } from '../support/valkey/index.ts';

describe.skipIf(noValkey)('redis/ioredis #984, redis/node-redis #2021', () => {
  test('appends and commands are answered while readers block', async () => {
    const server = await valkeyServer();
    const connection = await clusterOn(server);
    const [store, commands] = [createValkeyEventStore(connection), createValkeyCommandLog(connection)];
    const stop = new AbortController();
    let woken = 0;
    const readers = [1, 2, 3].map(async () => {
      for await (const _ of store.log('99999999999999-0', { follow: stop.signal })) woken += 1;
    });
    while (!String(await server.cli('INFO', 'clients')).includes('blocked_clients:3'));
    expect(await store.append({ stream: 'task/1', events: events('a'), expected: 'any', id: 'x' })).toMatchObject({ outcome: 'appended' });
    expect(await commands.accept(acceptance('c1'))).toMatchObject({ outcome: 'accepted' });
    expect(await store.extent()).toMatchObject({ events: 2 });
    expect(String(await server.cli('INFO', 'clients'))).toContain('blocked_clients:3');
    expect(woken).toBe(0);
    stop.abort();
    await Promise.all(readers);
    await connection.stop({ deadline: 0 });
    await server.stop();
  });
});
