import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counted, counting, countOf, replicaOn } from '../support/projections/index.ts';
import { noValkey, type ValkeyServer, valkeyServer } from '../support/valkey/index.ts';

// kurrent-io/KurrentDB #2187: a foreign event in the checkpoint stream made the projection restart for ever.
describe.skipIf(noValkey)('a checkpoint that is no position', () => {
  let server: ValkeyServer;
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server?.stop());

  test.each(['found at the start', 'found while running'])(
    '%s: stopped with the reason, nothing is reset, and a rebuild mends it',
    async (when) => {
      const id = `k13-${when.split(' ').at(-1)}`;
      const first = await replicaOn(server, id, [counting()]);
      await first.runner.start(AbortSignal.timeout(5_000));
      await first.events.append(counted('a', 1));
      await first.runner.waitFor('counting', await first.events.end(), 10_000);
      const key = `${first.connection.tag}:view:counting:1.1:at`;
      if (when === 'found at the start') {
        await first.close();
        await server.cli('SET', key, 'not-a-position');
      } else await server.cli('SET', key, 'not-a-position');

      const replica = when === 'found at the start' ? await replicaOn(server, id, [counting()]) : first;
      if (replica !== first) await replica.runner.start(AbortSignal.timeout(5_000));
      await replica.events.append(counted('a', 2));
      await expect(replica.runner.waitFor('counting', await replica.events.end(), 500)).rejects.toThrow('has not caught up');
      expect(await replica.runner.list()).toMatchObject([
        { state: 'stopped', reason: expect.stringContaining('its checkpoint is no position: "not-a-position"') },
      ]);
      expect(await server.cli('GET', key)).toBe('not-a-position');
      expect(await countOf(replica.views)).toBe(1);

      await replica.runner.rebuild('counting', { signal: AbortSignal.timeout(10_000) });
      await replica.runner.waitFor('counting', await replica.events.end(), 10_000);
      expect(await countOf(replica.views)).toBe(2);
      expect(await replica.runner.list()).toMatchObject([{ state: 'running', generation: 2 }]);
      await replica.close();
    },
  );
});
