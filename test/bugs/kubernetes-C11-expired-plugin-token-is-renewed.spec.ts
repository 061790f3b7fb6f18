import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCluster, loadClusterAccess } from '../../adapters/kubernetes/index.ts';
import { type ApiDouble, startApiDouble, statusOf } from '../support/api-double/index.ts';
import { captureLog } from '../support/captured-log/index.ts';

let folder: string;
let double: ApiDouble;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plugin-'));
  double = await startApiDouble();
});
afterEach(async () => {
  await double.stop();
  rmSync(folder, { recursive: true });
});

test('a token of the plugin that ran out is asked for again, with and without a stated end', async () => {
  const plugin = join(folder, 'plugin.sh');
  writeFileSync(
    plugin,
    `#!/bin/sh\nn=$(($(cat ${folder}/runs 2>/dev/null || echo 0) + 1)); echo $n >${folder}/runs\necho "{\\"status\\":{\\"token\\":\\"t$n\\"}}"\n`,
  );
  chmodSync(plugin, 0o755);
  const config = {
    clusters: [{ name: 'c', cluster: { server: double.url } }],
    users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh' } } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(join(folder, 'config'), JSON.stringify(config));
  let valid = 't1';
  double.answer = ({ headers }) =>
    headers.authorization === `Bearer ${valid}`
      ? { status: 200, body: { gitVersion: 'v1' } }
      : { status: 401, body: statusOf(401, 'Unauthorized', 'Unauthorized') };
  const log = captureLog();
  const env = { PATH: process.env.PATH, KUBECONFIG: join(folder, 'config') };
  const cluster = createCluster(loadClusterAccess(env, { ownNamespace: 'n', skipImpersonation: true, log }), { fieldManager: 'f', log });
  await cluster.version();
  await cluster.version();
  valid = 't2';
  await cluster.version();
  await cluster.version();
  expect(double.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer t1',
    'Bearer t1',
    'Bearer t1',
    'Bearer t2',
    'Bearer t2',
  ]);
  await cluster.close();
});
