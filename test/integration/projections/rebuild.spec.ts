import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Append } from '../../../domain/ports/index.ts';
import { createAuditLogQueries } from '../../../projections/index.ts';
import { accepted, appeared, bothViews, dumpOf, onePass, replicaOn, succeeded } from '../../support/projections/index.ts';
import { noValkey, type ValkeyServer, valkeyServer } from '../../support/valkey/index.ts';

const commands = 33_334;
const ofCommand = (n: number): readonly Append[] => {
  const id = `c${n}`;
  const name = `shop-${n % 97}`;
  return [
    accepted({ id, name, receivedAt: new Date().toISOString() }),
    appeared(id, name, String(n + 1)),
    succeeded(id, { diff: '--- a\n+++ b\n' }),
  ];
};

describe.skipIf(noValkey)('a log of a hundred thousand events', () => {
  let server: ValkeyServer;
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server?.stop());

  test('is built into both views from one pass, rebuilt beside them while commands go on, and compares equal', {
    timeout: 400_000,
  }, async () => {
    const replica = await replicaOn(server, 'large');
    const { events, views, runner } = replica;
    try {
      for (let n = 0; n < commands; n += 200) {
        await events.appendAll(Array.from({ length: Math.min(200, commands - n) }, (_, i) => ofCommand(n + i)).flat());
      }
      await runner.start(AbortSignal.timeout(5_000));
      const first = await events.end();
      for (const { name } of bothViews) await runner.waitFor(name, first, 200_000);

      const audit = createAuditLogQueries({ views });
      const working = new AbortController();
      let n = commands;
      let torn = 0;
      const work = (async () => {
        while (!working.signal.aborted) {
          for (const append of ofCommand(n)) await events.append(append);
          n += 1;
          const id = `c${n - 1}`;
          await runner.waitFor('audit-log', await events.end(), 30_000);
          // Who wrote reads their own write, on whichever side of the switch; nothing of the page is missing.
          const { entries, total } = await audit.list({ limit: 10, offset: 0, namespaces: ['mogenius'] });
          if (
            !entries.some(({ requestId, outcome }) => requestId === id && outcome === 'succeeded') ||
            entries.length !== 10 ||
            total < commands
          )
            torn += 1;
        }
      })();
      const seen: number[] = [];
      const rebuilt = await runner.rebuild('audit-log', { signal: AbortSignal.timeout(200_000), onProgress: (done) => seen.push(done) });
      working.abort();
      await work;
      expect(torn).toBe(0);
      expect(n).toBeGreaterThan(commands);
      expect(rebuilt).toMatchObject({ name: 'audit-log', kind: 'stored', version: 1, generation: 2, state: 'running' });
      expect(seen.length).toBeGreaterThan(100);
      expect(seen).toEqual([...seen].sort((a, b) => a - b));

      await runner.waitFor('audit-log', await events.end(), 30_000);
      const compared = await runner.verify('command-status', { signal: AbortSignal.timeout(200_000) });
      expect(compared).toEqual({ equal: true, rows: n, differences: [] });
      const [status] = bothViews.filter(({ name }) => name === 'command-status');
      expect(status).toBeDefined();
      if (status)
        expect(await dumpOf(views, await views.live('command-status'))).toEqual(await dumpOf(views, await onePass(replica, status)));
    } finally {
      await replica.close();
    }
  });
});
