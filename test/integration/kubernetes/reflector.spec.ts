import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { type ConnectedObjectSource, createObjectSource } from '../../../adapters/kubernetes/index.ts';
import { secrets, workspaces } from '../../../domain/kinds.ts';
import { captureLog } from '../../support/captured-log/index.ts';
import { collectChanges } from '../../support/changes/index.ts';
import { accessTo, clusters, type TestCluster } from '../../support/cluster/index.ts';
import { startTcpProxy } from '../../support/tcp-proxy/index.ts';

describe.each(clusters)('on $name', ({ missing, open }) => {
  describe.skipIf(missing)('a reflector', () => {
    let on: TestCluster;
    let source: ConnectedObjectSource;
    let ends: AbortController;
    beforeAll(async () => {
      on = await open('reflector');
    });
    afterAll(() => on?.stop());
    beforeEach(() => {
      source = createObjectSource(on.access, { clock: systemClock, log: captureLog() });
      ends = new AbortController();
    });
    afterEach(async () => {
      ends.abort(new Error('the test is over'));
      await source.close();
    });

    const secret = (name: string, value = '1') => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        namespace: on.namespace,
        labels: { value },
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      },
    });

    test('a list, then each change once and in order', async () => {
      for (let i = 0; i < 3; i += 1) await on.cluster.create(secrets, secret(`before-${i}`));
      const seen = collectChanges();
      const reflector = source.follow(secrets, { namespace: on.namespace, signal: ends.signal, handle: seen.handle });
      await reflector.synced(ends.signal);
      expect(reflector.status()).toMatchObject({ synced: true, objects: 3 });
      expect(seen.brief()).toEqual(['appeared before-0 initial', 'appeared before-1 initial', 'appeared before-2 initial']);
      expect(seen.changes[0]?.object.metadata).toMatchObject({ annotations: {} });
      expect(seen.changes[0]?.object.metadata).not.toHaveProperty('managedFields');

      const ref = { name: 'live', namespace: on.namespace };
      await on.cluster.create(secrets, secret('live'));
      await on.cluster.merge(secrets, ref, { metadata: { labels: { value: '2' } } });
      await on.cluster.delete(secrets, ref);
      await seen.until(6);
      expect(seen.brief().slice(3)).toEqual(['appeared live', 'changed live', 'vanished live']);
      expect(seen.changes[4]).toMatchObject({
        object: { metadata: { labels: { value: '2' } } },
        before: { metadata: { labels: { value: '1' } } },
      });
      expect(reflector.status().state).toBe('watching');
    });

    test('a kind that is not there fails by itself and says why', async () => {
      const unknown = source.follow({ ...workspaces, group: 'nobody.example.com' }, { signal: ends.signal, handle: async () => undefined });
      const seen = collectChanges();
      const known = source.follow(secrets, { namespace: on.namespace, signal: ends.signal, handle: seen.handle });
      await known.synced(ends.signal);
      await expect.poll(() => unknown.status()).toMatchObject({ state: 'failing', synced: false });
      expect(known.status().synced).toBe(true);
    });

    test('a connection that is reset loses nothing and tells nothing twice', async () => {
      const { hostname, port } = new URL(on.access.server);
      const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
      const through = createObjectSource(accessTo(`https://127.0.0.1:${proxy.port}`, on.access), { clock: systemClock, log: captureLog() });
      const seen = collectChanges();
      // A namespace of its own would be cleaner, but what other tests left must not matter either.
      const reflector = through.follow(secrets, { namespace: on.namespace, signal: ends.signal, handle: seen.handle });
      await expect.poll(() => reflector.status().state).toBe('watching');
      const known = seen.changes.length;
      for (const name of ['r1', 'r2', 'r3']) {
        proxy.resetAll();
        await on.cluster.create(secrets, secret(name));
        await seen.until(known + Number(name.slice(1)));
      }
      expect(seen.brief().slice(known)).toEqual(['appeared r1', 'appeared r2', 'appeared r3']);
      ends.abort(new Error('the test is over'));
      await through.close();
      await proxy.stop();
    });

    test('it ends with its signal, and who waits for it is told', async () => {
      const reflector = source.follow(secrets, {
        namespace: on.namespace,
        signal: ends.signal,
        handle: () => new Promise(() => undefined),
      });
      const waiting = expect(reflector.synced(new AbortController().signal)).rejects.toThrow('over');
      ends.abort(new Error('over'));
      await expect.poll(() => reflector.status().state, { timeout: 5_000 }).toBe('stopped');
      await waiting;
    });
  });
});
