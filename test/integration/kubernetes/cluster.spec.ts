import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClusterRefused } from '../../../domain/errors.ts';
import { configMaps, leases, namespaces, secrets, workspaces } from '../../../domain/kinds.ts';
import { clusters, type TestCluster } from '../../support/cluster/index.ts';

const configMap = (name: string, namespace: string, data: Record<string, string> = { k: 'v' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

const refused = (reason: string) => (error: unknown) => ClusterRefused.is(error) && error.data.reason === reason;

describe.each(clusters)('on $name', ({ missing, open }) => {
  describe.skipIf(missing)('the Cluster port', () => {
    let on: TestCluster;
    beforeAll(async () => {
      on = await open('cluster-port');
    });
    afterAll(() => on?.stop());

    test('an object is created with the id of its command and without managedFields', async () => {
      const made = await on.cluster.create(configMaps, configMap('made', on.namespace), { command: 'c-1' });
      expect(made.metadata).toMatchObject({ name: 'made', annotations: { 'mogenius.com/command': 'c-1' } });
      expect(made.metadata).not.toHaveProperty('managedFields');
      expect(await on.cluster.get(configMaps, { name: 'made', namespace: on.namespace })).toEqual(made);
    });

    test('what is there already is refused with the sentence of the server', async () => {
      await on.cluster.create(configMaps, configMap('twice', on.namespace));
      const again = on.cluster.create(configMaps, configMap('twice', on.namespace));
      await expect(again).rejects.toMatchObject({
        code: 'CLUSTER_REFUSED',
        status: 409,
        message: 'configmaps "twice" already exists',
        data: { status: 409, reason: 'AlreadyExists' },
      });
    });

    test('an absent object is undefined, an absent kind is a refusal', async () => {
      expect(await on.cluster.get(configMaps, { name: 'absent', namespace: on.namespace })).toBeUndefined();
      const unknown = { ...workspaces, group: 'nobody.example.com' };
      await expect(on.cluster.get(unknown, { name: 'absent', namespace: on.namespace })).rejects.toSatisfy(
        (error: unknown) => ClusterRefused.is(error) && error.data.status === 404,
      );
    });

    test('a page ends where its limit is and continues there', async () => {
      for (const name of ['p1', 'p2', 'p3']) {
        await on.cluster.create(configMaps, {
          ...configMap(name, on.namespace),
          metadata: { name, namespace: on.namespace, labels: { page: 'x' } },
        });
      }
      const how = { namespace: on.namespace, labelSelector: 'page=x', limit: 2 };
      const first = await on.cluster.list(configMaps, how);
      const second = await on.cluster.list(configMaps, { ...how, continue: first.continue });
      expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['p1', 'p2']);
      expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['p3']);
      expect(second.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      expect(second.continue).toBeUndefined();
      const one = await on.cluster.list(configMaps, { namespace: on.namespace, fieldSelector: 'metadata.name=p2' });
      expect(one.items).toHaveLength(1);
    });

    test('a replacement of an older version is a conflict', async () => {
      const old = await on.cluster.create(configMaps, configMap('moving', on.namespace));
      await on.cluster.replace(configMaps, { ...old, data: { k: 'new' } }, { command: 'c-2' });
      await expect(on.cluster.replace(configMaps, { ...old, data: { k: 'lost' } })).rejects.toSatisfy(refused('Conflict'));
      expect(await on.cluster.get(configMaps, { name: 'moving', namespace: on.namespace })).toMatchObject({ data: { k: 'new' } });
    });

    test('a merge patch changes what it names and carries the command', async () => {
      await on.cluster.create(configMaps, configMap('patched', on.namespace, { a: '1', b: '2' }));
      const ref = { name: 'patched', namespace: on.namespace };
      const merged = await on.cluster.merge(configMaps, ref, { data: { b: null, c: '3' } }, { command: 'c-3' });
      expect(merged).toMatchObject({ data: { a: '1', c: '3' }, metadata: { annotations: { 'mogenius.com/command': 'c-3' } } });
      expect(merged.data).not.toHaveProperty('b');
    });

    test('apply makes and changes, and a field of somebody else is a conflict unless it is forced', async () => {
      const made = await on.cluster.apply(configMaps, configMap('applied', on.namespace), { command: 'c-4' });
      expect(made).toMatchObject({ data: { k: 'v' }, metadata: { annotations: { 'mogenius.com/command': 'c-4' } } });
      const other = configMap('others', on.namespace);
      await on.cluster.create(configMaps, other);
      await on.cluster.replace(configMaps, { ...other, data: { k: 'theirs' } });
      const mine = { ...other, data: { k: 'mine' } };
      await expect(on.cluster.apply(configMaps, mine)).rejects.toSatisfy(refused('Conflict'));
      expect(await on.cluster.apply(configMaps, mine, { force: true })).toMatchObject({ data: { k: 'mine' } });
    });

    test('a dry run changes nothing', async () => {
      await on.cluster.create(configMaps, configMap('dry', on.namespace), { dryRun: true });
      expect(await on.cluster.get(configMaps, { name: 'dry', namespace: on.namespace })).toBeUndefined();
    });

    test('a deletion is of one uid: another object under the name is left alone', async () => {
      const ref = { name: 'gone', namespace: on.namespace };
      const made = await on.cluster.create(configMaps, configMap('gone', on.namespace));
      await expect(on.cluster.delete(configMaps, ref, { uid: 'another' })).rejects.toSatisfy(refused('Conflict'));
      expect(await on.cluster.delete(configMaps, ref, { uid: made.metadata.uid })).toBeUndefined();
      await expect(on.cluster.delete(configMaps, ref)).rejects.toSatisfy(refused('NotFound'));
    });

    test('what waits for a finalizer is answered as it is', async () => {
      const ref = { name: 'held', namespace: on.namespace };
      const object = configMap('held', on.namespace);
      await on.cluster.create(configMaps, { ...object, metadata: { ...object.metadata, finalizers: ['example.com/hold'] } });
      const left = await on.cluster.delete(configMaps, ref);
      expect(left?.metadata.deletionTimestamp).toBeDefined();
      await on.cluster.merge(configMaps, ref, { metadata: { finalizers: null } });
      expect(await on.cluster.get(configMaps, ref)).toBeUndefined();
    });

    test('an invalid object is refused with 422, which callers see as 400', async () => {
      const invalid = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'Not A Name', namespace: on.namespace } };
      await expect(on.cluster.create(secrets, invalid)).rejects.toMatchObject({ status: 400, data: { status: 422, reason: 'Invalid' } });
    });

    test('discovery names kinds once, with their scope, and without Endpoints', async () => {
      const { kinds, failed } = await on.cluster.discover();
      expect(failed).toEqual([]);
      expect(kinds).toContainEqual(configMaps);
      expect(kinds).toContainEqual(namespaces);
      expect(kinds).toContainEqual(leases);
      expect(kinds.filter(({ kind }) => kind === 'Endpoints')).toEqual([]);
      expect(new Set(kinds.map(({ group, plural }) => `${group}/${plural}`)).size).toBe(kinds.length);
    });

    test('version and token review', async () => {
      expect(await on.cluster.version()).toMatch(/^v1\.\d+\.\d+/);
      expect(await on.cluster.reviewToken('not-a-token')).toBeUndefined();
    });

    test("the caller's signal ends a call with the caller's reason", async () => {
      const reason = new Error('no longer wanted');
      await expect(on.cluster.version({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });
  });
});
