import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createLeadership, ensureClusterSecret } from '../../../adapters/kubernetes/index.ts';
import { leases, secrets } from '../../../domain/kinds.ts';
import { captureLog } from '../../support/captured-log/index.ts';
import { clusters, type TestCluster } from '../../support/cluster/index.ts';

describe.each(clusters)('on $name', ({ missing, open }) => {
  describe.skipIf(missing)('objects of the own namespace', () => {
    let on: TestCluster;
    beforeAll(async () => {
      on = await open('own');
    });
    afterAll(() => on?.stop());

    const competitor = () =>
      createLeadership({
        cluster: on.cluster,
        namespace: on.namespace,
        identity: randomUUID(),
        leaseDuration: 3_000,
        renewDeadline: 2_000,
        retryPeriod: 100,
        clock: systemClock,
        log: captureLog(),
        storedTerm: () => Promise.resolve(4),
      });

    test('of two competitors one leads; when it stops the other one leads under the next term', async () => {
      const both = [competitor(), competitor()];
      for (const one of both) await one.start(new AbortController().signal);
      await expect.poll(() => both.filter((one) => one.term() === 5).length).toBe(1);
      const [first, second] = both[0]?.term() === 5 ? both : both.toReversed();
      await expect.poll(() => second?.status().holder).toBeDefined();
      expect(second?.status().leading).toBe(false);
      expect(await first?.stop({ deadline: 5_000 })).toEqual({ dropped: [] });
      await expect.poll(() => second?.term(), { timeout: 5_000 }).toBe(6);
      expect(await second?.stop({ deadline: 5_000 })).toEqual({ dropped: [] });
      const left = await on.cluster.get(leases, { name: 'mogenius-operator-lease', namespace: on.namespace });
      expect(left?.spec).toMatchObject({ leaseDurationSeconds: 3, leaseTransitions: 6 });
      expect(Object(left?.spec).holderIdentity ?? '').toBe('');
    });

    test('processes that start at once agree on one cluster id', async () => {
      const values = { namespace: on.namespace, apiKey: 'k', clusterName: 'one' };
      const all = await Promise.all(Array.from({ length: 5 }, () => ensureClusterSecret(on.cluster, values)));
      expect(new Set(all.map(({ mfaId }) => mfaId)).size).toBe(1);
      const stored = await on.cluster.get(secrets, { name: on.namespace, namespace: on.namespace });
      expect(stored).toMatchObject({ type: 'Opaque', data: { 'cluster-mfa-id': Buffer.from(all[0]?.mfaId ?? '').toString('base64') } });
    });
  });
});
