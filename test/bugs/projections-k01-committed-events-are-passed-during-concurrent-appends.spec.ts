import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counted, counting, countOf, replicaOn } from '../support/projections/index.ts';
import { noValkey, type ValkeyServer, valkeyServer } from '../support/valkey/index.ts';

// JasperFx/marten #4952: progress went past an event that a slower transaction committed later.
describe.skipIf(noValkey)('fifty writers at once', () => {
  let server: ValkeyServer;
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server?.stop());

  test('the projection counts what the log counts, a hundred rounds long', async () => {
    const replica = await replicaOn(server, 'k1', [counting()]);
    try {
      await replica.runner.start(AbortSignal.timeout(5_000));
      for (let round = 1; round <= 100; round++) {
        const appended = await Promise.all(Array.from({ length: 50 }, (_, writer) => replica.events.append(counted(`w${writer}`, round))));
        expect(appended.every(({ outcome }) => outcome === 'appended')).toBe(true);
        if (round % 20 > 0) continue;
        await replica.runner.waitFor('counting', await replica.events.end(), 20_000);
        expect(await countOf(replica.views)).toBe(50 * round);
      }
      expect((await replica.events.extent()).events).toBe(5_000);
    } finally {
      await replica.close();
    }
  });
});
