import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createValkeyEventStore, createValkeyViewStore } from '../../adapters/valkey/index.ts';
import { origin, type RecordedEvent } from '../../domain/event/index.ts';
import { createCollector } from '../../projections/projection.ts';
import {
  accepted,
  appeared,
  bothViews,
  counted,
  counting,
  dumpOf,
  onePass,
  replicaOn,
  runnerOver,
  succeeded,
} from '../support/projections/index.ts';
import { clusterOn, noValkey, type ValkeyServer, valkeyProxy, valkeyServer } from '../support/valkey/index.ts';

// JasperFx/marten #3059, #4730: a crash between the write of a view and its checkpoint gave the events to the view again.
describe.skipIf(noValkey)('a process that dies between write and checkpoint', () => {
  let server: ValkeyServer;
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server?.stop());

  test('there is no between: a batch whose answer was lost is found done, and the view is that of one pass', async () => {
    const proxy = await valkeyProxy(server);
    const direct = await replicaOn(server, 'k4', bothViews);
    const connection = await clusterOn({ port: proxy.port }, { clusterId: 'k4', deadline: 1_000 });
    const stores = { events: createValkeyEventStore(connection), views: createValkeyViewStore(connection) };
    const runner = runnerOver(stores, bothViews, 50);
    try {
      for (let n = 0; n < 400; n++) {
        const id = `c${n}`;
        for (const append of [accepted({ id, name: `shop-${n % 9}` }), appeared(id, `shop-${n % 9}`, String(n + 1)), succeeded(id)])
          await direct.events.append(append);
      }
      // Every third answer to a batch is swallowed with its socket: the writes happened, nobody knows.
      let applies = 0;
      let lost = 0;
      let losing = false;
      proxy.onRequest((bytes) => {
        if (bytes.includes('view_apply')) {
          applies += 1;
          losing = applies % 3 === 0 && applies < 12;
        }
        return 'pass';
      });
      proxy.onReply(() => {
        if (!losing) return 'pass';
        losing = false;
        lost += 1;
        return 'cut';
      });
      await runner.start(AbortSignal.timeout(5_000));
      const end = await direct.events.end();
      for (const { name } of bothViews) await runner.waitFor(name, end, 30_000);
      for (const projection of bothViews) {
        const dump = await dumpOf(direct.views, await direct.views.live(projection.name));
        expect(dump.length).toBeGreaterThanOrEqual(800);
        expect(dump).toEqual(await dumpOf(direct.views, await onePass(direct, projection)));
      }
      expect(lost).toBe(3);
    } finally {
      await runner.stop({ deadline: 2_000 });
      await connection.stop({ deadline: 1_000 });
      await proxy.close();
      await direct.close();
    }
  });

  test('events of two streams that alternate are each there once', async () => {
    const replica = await replicaOn(server, 'k4-streams', [counting()]);
    try {
      for (let n = 1; n <= 60; n++) await replica.events.append(counted(n % 2 ? 'a' : 'b', n));
      const view = await replica.views.begin('counting', 1);
      const collector = createCollector();
      let first: readonly RecordedEvent[] = [];
      for await (const some of replica.events.log(origin, { batch: 25 })) {
        first = some;
        break;
      }
      for (const event of first) counting().folds.get(event.type)?.(collector, event);
      const batch = { view, from: origin, to: first.at(-1)?.position ?? origin, writes: collector.take() };
      // The process died behind this call. The next one finds the build and goes on.
      await replica.views.apply([batch]);
      await replica.runner.start(AbortSignal.timeout(5_000));
      await replica.runner.waitFor('counting', await replica.events.end(), 10_000);
      expect(await replica.views.live('counting')).toEqual(view);
      expect(await dumpOf(replica.views, view)).toEqual(await dumpOf(replica.views, await onePass(replica, counting())));
    } finally {
      await replica.close();
    }
  });
});
