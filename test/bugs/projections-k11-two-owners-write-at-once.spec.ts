import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { origin } from '../../domain/event/index.ts';
import { accepted, bothViews, counted, counting, countOf, dumpOf, onePass, replicaOn, succeeded } from '../support/projections/index.ts';
import { noValkey, type ValkeyServer, valkeyServer } from '../support/valkey/index.ts';

// kurrent-io/KurrentDB #1768: after an election the old owner of a projection wrote on beside the new one.
describe.skipIf(noValkey)('two owners of one projection', () => {
  let server: ValkeyServer;
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server?.stop());

  test('the old owner’s write is refused by the checkpoint', async () => {
    const { views, close } = await replicaOn(server, 'k11-old', [counting()]);
    const view = await views.begin('counting', 1);
    const put = (value: string) => [{ op: 'put', key: 'k', part: 'p', value } as const];
    await views.apply([{ view, from: origin, to: '1-0', writes: put('1') }]);
    await views.apply([{ view, from: '1-0', to: '5-0', writes: put('new') }]);
    expect(await views.apply([{ view, from: '1-0', to: '3-0', writes: put('old') }])).toEqual([
      { outcome: 'elsewhere', checkpoint: '5-0' },
    ]);
    expect(await views.rows(view, ['k'])).toEqual([{ p: 'new' }]);
    await close();
  });

  test('three replicas on one log: the views are those of one pass, and each replica knows where they are', async () => {
    const replicas = [await replicaOn(server, 'k11'), await replicaOn(server, 'k11'), await replicaOn(server, 'k11')] as const;
    const [one, other] = replicas;
    try {
      await Promise.all(replicas.map(({ runner }) => runner.start(AbortSignal.timeout(5_000))));
      for (let n = 0; n < 300; n++) {
        await one.events.append(accepted({ id: `c${n}`, name: `shop-${n % 5}` }));
        await other.events.append(succeeded(`c${n}`));
      }
      const end = await one.events.end();
      for (const { runner } of replicas) for (const { name } of bothViews) await runner.waitFor(name, end, 20_000);
      for (const projection of bothViews) {
        expect(await dumpOf(one.views, await one.views.live(projection.name))).toEqual(
          await dumpOf(one.views, await onePass(one, projection)),
        );
      }
    } finally {
      await Promise.all(replicas.map(({ close }) => close()));
    }
  });

  test('when the one that feeds goes, another takes over', async () => {
    const replicas = [await replicaOn(server, 'k11-over', [counting()]), await replicaOn(server, 'k11-over', [counting()])] as const;
    const [one, other] = replicas;
    try {
      await one.runner.start(AbortSignal.timeout(5_000));
      await other.runner.start(AbortSignal.timeout(5_000));
      for (let n = 0; n < 50; n++) await one.events.append(counted('a', n));
      await other.runner.waitFor('counting', await one.events.end(), 10_000);
      await one.close();
      for (let n = 50; n < 60; n++) await other.events.append(counted('a', n));
      await other.runner.waitFor('counting', await other.events.end(), 20_000);
      expect(await countOf(other.views)).toBe(60);
    } finally {
      await other.close();
    }
  });
});
