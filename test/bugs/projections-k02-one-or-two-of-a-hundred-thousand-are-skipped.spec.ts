import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counted, counting, countOf, replicaOn, runnerOver } from '../support/projections/index.ts';
import { noValkey, type ValkeyServer, valkeyServer } from '../support/valkey/index.ts';

const all = 100_000;
const starts = 20;

// JasperFx/marten #3321: one or two events of 100,000 were skipped.
describe.skipIf(noValkey)('a hundred thousand events', () => {
  let server: ValkeyServer;
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server?.stop());

  test('all are there, although the runner was started anew again and again while they came', { timeout: 300_000 }, async () => {
    const replica = await replicaOn(server, 'k2', [counting()]);
    const { events, views } = replica;
    try {
      const write = async (from: number) => {
        for (let n = from; n < from + all / starts; n += 500)
          await events.appendAll(Array.from({ length: 500 }, (_, i) => counted(`s${i % 50}`, n + i)));
      };
      for (let start = 0; start < starts; start++) {
        const written = write((start * all) / starts);
        const runner = runnerOver({ events, views }, [counting()]);
        await runner.start(AbortSignal.timeout(5_000));
        await runner.waitFor('counting', await events.end(), 10_000);
        await Promise.all([runner.stop({ deadline: 10_000 }), written]);
      }
      await replica.runner.start(AbortSignal.timeout(5_000));
      await replica.runner.waitFor('counting', await events.end(), 120_000);
      expect(await countOf(views)).toBe(all);
    } finally {
      await replica.close();
    }
  });
});
