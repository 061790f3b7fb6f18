import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../adapters/clock/index.ts';
import { createObjectSource } from '../../adapters/kubernetes/index.ts';
import { secrets } from '../../domain/kinds.ts';
import { captureLog } from '../support/captured-log/index.ts';
import { collectChanges } from '../support/changes/index.ts';
import { accessTo, clusterMissing, type TestCluster, testCluster } from '../support/cluster/index.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock/index.ts';
import { configMap, type ReflectorOnDouble, reflectorOnDouble } from '../support/reflector/index.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy/index.ts';

describe('a server that says nothing any more', () => {
  let on: ReflectorOnDouble;
  let clock: FakeClock;
  beforeEach(async () => {
    clock = createFakeClock();
    on = await reflectorOnDouble({ clock, silence: 150_000 });
  });
  afterEach(() => on.stop());

  test('is left after the silence limit, and the next watch brings what was missed', async () => {
    const silent = await on.double.nextWatch();
    await expect.poll(() => on.reflector.status().state).toBe('watching');
    await clock.advance(149_999);
    expect(on.watches()).toBe(1);
    await clock.advance(1);
    await silent.closed;
    expect(on.reflector.status()).toMatchObject({ state: 'failing', reason: 'the watch was silent for 150 s' });
    await clock.advance(1_000);
    const next = await on.double.nextWatch();
    expect(next.params.resourceVersion).toBe('100');
    next.send('ADDED', configMap('missed', '101'));
    await on.seen.until(1);
    expect(on.seen.brief()).toEqual(['appeared missed']);
    expect(on.lists()).toBe(1);
  });

  test('a bookmark is a sign of life', async () => {
    const watch = await on.double.nextWatch();
    await expect.poll(() => on.reflector.status().state).toBe('watching');
    for (let minute = 1; minute <= 10; minute += 1) {
      await clock.advance(60_000);
      const before = clock.now();
      watch.bookmark(String(100 + minute));
      await expect.poll(() => on.reflector.status().heardAt).toBe(before);
    }
    expect(on.watches()).toBe(1);
  });
});

describe.skipIf(clusterMissing)('a black hole between us and a real API server', () => {
  let on: TestCluster;
  let proxy: TcpProxy;
  beforeEach(async () => {
    on = await testCluster('c1');
    const { hostname, port } = new URL(on.access.server);
    proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  });
  afterEach(async () => {
    await proxy?.stop();
    await on?.stop();
  });

  test('an object made meanwhile is seen within the liveness limit', async () => {
    const source = createObjectSource(accessTo(`https://127.0.0.1:${proxy.port}`, on.access), {
      clock: systemClock,
      log: captureLog(),
      silence: 1_000,
    });
    const ends = new AbortController();
    const seen = collectChanges();
    const reflector = source.follow(secrets, { namespace: on.namespace, signal: ends.signal, handle: seen.handle });
    await expect.poll(() => reflector.status().state, { timeout: 10_000 }).toBe('watching');
    proxy.blackHole();
    await on.cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'unseen', namespace: on.namespace } });
    await expect.poll(() => reflector.status().state, { timeout: 10_000 }).toBe('failing');
    proxy.heal();
    await seen.until(1);
    expect(seen.brief()).toEqual(['appeared unseen']);
    ends.abort();
    await source.close();
  });
});
