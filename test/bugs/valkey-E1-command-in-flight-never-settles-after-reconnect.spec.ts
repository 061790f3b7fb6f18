import { describe, expect, test } from 'vitest';
import { createValkeyEventStore } from '../../adapters/valkey/index.ts';
import { StoreUnavailable } from '../../domain/errors.ts';
import { events, readAll } from '../support/stores/index.ts';
import { clusterOn, noValkey, valkeyProxy, valkeyServer } from '../support/valkey/index.ts';

describe.skipIf(noValkey)('redis/ioredis #2193', () => {
  test('every append under way settles when its socket breaks, and later ones work', async () => {
    const server = await valkeyServer();
    const proxy = await valkeyProxy(server);
    // A deadline far beyond the test's own: only the broken socket can settle them.
    const connection = await clusterOn({ port: proxy.port }, { deadline: 600_000 });
    const store = createValkeyEventStore(connection);
    const append = (id: string) => store.append({ stream: 'task/1', events: events('a'), expected: 'any', id });
    proxy.hold();
    const underWay = Array.from({ length: 20 }, (_, i) => append(`${i}`));
    // Answered by the server, seen by nobody.
    await reached(server.cli, connection.tag, 20);
    proxy.cutAll();
    const settled = await Promise.allSettled(underWay);
    expect(settled.map((one) => one.status === 'rejected' && StoreUnavailable.is(one.reason))).toEqual(
      Array.from({ length: 20 }, () => true),
    );
    proxy.release();
    await connection.whenReady(AbortSignal.timeout(30_000));
    const again = await Promise.all(Array.from({ length: 20 }, (_, i) => append(`${i}`)));
    expect(again.every(({ outcome }) => outcome === 'duplicate')).toBe(true);
    expect(await readAll(store)).toHaveLength(20);
    await connection.stop({ deadline: 0 });
    await proxy.close();
    await server.stop();
  });
});

async function reached(cli: (command: string, ...args: string[]) => Promise<unknown>, tag: string, count: number): Promise<void> {
  while (Number(await cli('XLEN', `${tag}:log`)) < count);
}
