import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counted, counting, countOf, replicaOn } from '../support/projections/index.ts';
import { noValkey, type ValkeyServer, valkeyServer } from '../support/valkey/index.ts';

// JasperFx/marten #577, #596: a rebuild deleted the rows of a running projection and did not fill them again.
describe.skipIf(noValkey)('a rebuild in a live process', () => {
  let server: ValkeyServer;
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server?.stop());

  test('twice in a row, while appends go on: the view is never smaller than it was', async () => {
    const replica = await replicaOn(server, 'k5', [counting()]);
    const { events, views, runner } = replica;
    try {
      await events.appendAll(Array.from({ length: 3_000 }, (_, n) => counted('before', n)));
      await runner.start(AbortSignal.timeout(5_000));
      await runner.waitFor('counting', await events.end(), 20_000);

      const working = new AbortController();
      let n = 0;
      let smallest = 3_000;
      let torn = 0;
      const writer = (async () => {
        while (!working.signal.aborted) await events.append(counted('during', n++));
      })();
      const reader = (async () => {
        for (let least = 3_000; !working.signal.aborted; ) {
          const seen = await countOf(views);
          if (seen < least) torn += 1;
          least = Math.max(least, seen);
          smallest = Math.min(smallest, seen);
        }
      })();
      const once = await runner.rebuild('counting', { signal: AbortSignal.timeout(30_000) });
      const twice = await runner.rebuild('counting', { signal: AbortSignal.timeout(30_000) });
      working.abort();
      await Promise.all([writer, reader]);

      expect([once.generation, twice.generation]).toEqual([2, 3]);
      expect({ smallest, torn }).toEqual({ smallest: 3_000, torn: 0 });
      await runner.waitFor('counting', await events.end(), 20_000);
      expect(await countOf(views)).toBe(3_000 + n);
    } finally {
      await replica.close();
    }
  });

  test('a rebuild that is cancelled leaves the live view and nothing else', async () => {
    const replica = await replicaOn(server, 'k5-cancelled', [counting()]);
    const { events, views, runner } = replica;
    try {
      await events.appendAll(Array.from({ length: 2_000 }, (_, n) => counted('before', n)));
      await runner.start(AbortSignal.timeout(5_000));
      await runner.waitFor('counting', await events.end(), 20_000);
      const live = await views.live('counting');
      const cancel = new AbortController();
      const rebuild = runner.rebuild('counting', { signal: cancel.signal, onProgress: () => cancel.abort(new Error('changed my mind')) });
      await expect(rebuild).rejects.toThrow('changed my mind');
      expect((await views.builds('counting')).map(({ view }) => view)).toEqual([live]);
      await events.append(counted('after', 1));
      await runner.waitFor('counting', await events.end(), 10_000);
      expect(await countOf(views)).toBe(2_001);
    } finally {
      await replica.close();
    }
  });
});
