import { beforeEach, expect, test } from 'vitest';
import { ClusterRefused, ClusterUnavailable } from '../../../domain/errors.ts';
import type { Cluster, KubernetesObject, StoredObject } from '../../../domain/ports/index.ts';
import { ensureClusterSecret } from './cluster-secret.ts';

let stored: StoredObject | undefined;
let writes: number;
let before: ((method: string) => void) | undefined;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const text = (key: string) => Buffer.from(Object(stored?.data)[key] ?? '', 'base64').toString();

function store(object: KubernetesObject): StoredObject {
  writes += 1;
  const resourceVersion = String(Number(stored?.metadata.resourceVersion ?? 0) + 1);
  stored = { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion, creationTimestamp: 'x' } };
  return stored;
}

const cluster: Pick<Cluster, 'get' | 'create' | 'replace'> = {
  async get() {
    before?.('get');
    return stored;
  },
  async create(_, object) {
    before?.('create');
    if (stored) throw ClusterRefused({ status: 409, reason: 'AlreadyExists', message: 'exists' });
    return store(object);
  },
  async replace(_, object) {
    before?.('replace');
    if (object.metadata.resourceVersion !== stored?.metadata.resourceVersion) {
      throw ClusterRefused({ status: 409, reason: 'Conflict', message: 'moved' });
    }
    return store(object);
  },
};

const values = { namespace: 'mogenius', apiKey: 'key', clusterName: 'one' };
const existing = (data: Record<string, string>) =>
  store({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'mogenius', namespace: 'mogenius', labels: { theirs: 'yes' } },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
  });

beforeEach(() => {
  stored = undefined;
  writes = 0;
  before = undefined;
});

test('absent: a new one with a generated id, to be migrated once', async () => {
  const identity = await ensureClusterSecret(cluster, values);
  expect(identity).toEqual({ mfaId: expect.stringMatching(/^[a-zA-Z0-9]{21}$/), apiKey: 'key', clusterName: 'one', dataModelVersion: 0 });
  expect(stored).toMatchObject({ type: 'Opaque', metadata: { name: 'mogenius', namespace: 'mogenius' } });
  expect([text('cluster-mfa-id'), text('redis-data-model-version')]).toEqual([identity.mfaId, '0']);
  expect(await ensureClusterSecret(cluster, values)).toEqual({ ...identity, dataModelVersion: 1 });
  await ensureClusterSecret(cluster, values);
  expect(writes).toBe(2);
});

test('a given id is taken when there is none, and never replaces the one that is there', async () => {
  expect((await ensureClusterSecret(cluster, { ...values, mfaId: 'given' })).mfaId).toBe('given');
  expect((await ensureClusterSecret(cluster, { ...values, mfaId: 'other' })).mfaId).toBe('given');
});

test('keys and labels of others stay, and an API key is kept where none is configured', async () => {
  existing({ 'cluster-mfa-id': 'id', 'api-key': 'old', 'cluster-name': 'one', 'redis-data-model-version': '1', foreign: 'value' });
  const identity = await ensureClusterSecret(cluster, { ...values, apiKey: undefined, clusterName: 'two' });
  expect(identity).toEqual({ mfaId: 'id', apiKey: 'old', clusterName: 'two', dataModelVersion: 1 });
  expect([text('foreign'), text('cluster-name'), stored?.metadata.labels]).toEqual(['value', 'two', { theirs: 'yes' }]);
});

test('a failed read is not an absent Secret', async () => {
  before = () => {
    throw ClusterUnavailable({ reason: 'away' });
  };
  await expect(ensureClusterSecret(cluster, values)).rejects.toMatchObject({ code: 'CLUSTER_UNAVAILABLE' });
  before = () => {
    throw ClusterRefused({ status: 403, reason: 'Forbidden', message: 'no' });
  };
  await expect(ensureClusterSecret(cluster, values)).rejects.toMatchObject({ code: 'CLUSTER_REFUSED' });
  expect(writes).toBe(0);
});

test.each(['create', 'replace'])('of two that start at once (%s) both get the same id', async (method) => {
  if (method === 'replace') existing({ foreign: 'value' });
  before = (called) => {
    if (called !== method) return;
    before = undefined;
    existing({ 'cluster-mfa-id': 'theirs', 'api-key': 'key', 'cluster-name': 'one', 'redis-data-model-version': '0' });
  };
  expect((await ensureClusterSecret(cluster, values)).mfaId).toBe('theirs');
  expect(text('cluster-mfa-id')).toBe('theirs');
});

test('it does not race for ever', async () => {
  existing({});
  let tries = 0;
  before = (called) => {
    if (called !== 'replace') return;
    tries += 1;
    existing({});
  };
  await expect(ensureClusterSecret(cluster, values)).rejects.toMatchObject({ data: { reason: 'Conflict' } });
  expect(tries).toBe(5);
});
