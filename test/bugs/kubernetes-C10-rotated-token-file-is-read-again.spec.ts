import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCluster, loadClusterAccess } from '../../adapters/kubernetes/index.ts';
import { type ApiDouble, startApiDouble, statusOf } from '../support/api-double/index.ts';
import { captureLog } from '../support/captured-log/index.ts';

let folder: string;
let double: ApiDouble;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'token-'));
  double = await startApiDouble();
});
afterEach(async () => {
  await double.stop();
  rmSync(folder, { recursive: true });
});

test('the old token is refused from now on: the file is read again and the call succeeds, a write too', async () => {
  let valid = 'old';
  double.answer = ({ headers, method }) => {
    if (headers.authorization !== `Bearer ${valid}`) return { status: 401, body: statusOf(401, 'Unauthorized', 'Unauthorized') };
    return { status: method === 'POST' ? 201 : 200, body: { gitVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', uid: 'u' } } };
  };
  writeFileSync(join(folder, 'token'), 'old\n');
  const config = {
    clusters: [{ name: 'c', cluster: { server: double.url } }],
    users: [{ name: 'u', user: { tokenFile: 'token' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(join(folder, 'config'), JSON.stringify(config));
  const log = captureLog();
  const access = loadClusterAccess({ KUBECONFIG: join(folder, 'config') }, { ownNamespace: 'n', skipImpersonation: true, log });
  const cluster = createCluster(access, { fieldManager: 'f', log });
  expect(await cluster.version()).toBe('v1');

  writeFileSync(join(folder, 'token'), 'new\n');
  valid = 'new';
  const kind = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  await cluster.create(kind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
  expect(double.requests.map(({ method, headers }) => `${method} ${headers.authorization}`)).toEqual([
    'GET Bearer old',
    'POST Bearer old',
    'POST Bearer new',
  ]);

  valid = 'another';
  await expect(cluster.version()).rejects.toMatchObject({ code: 'CLUSTER_REFUSED', status: 403 });
  expect(double.requests).toHaveLength(5);
  await cluster.close();
});
