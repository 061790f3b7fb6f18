import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { captureLog } from '../../../test/support/captured-log/index.ts';
import { loadClusterAccess } from './load.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const options = (more: object = {}) => ({ ownNamespace: 'mogenius', skipImpersonation: false, log: captureLog(), ...more });

const config = (user: object, more: object = {}) =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://api.example.com:6443/', ...more } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
    'current-context': 'x',
  });

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('where it looks', () => {
  test('missing and unreadable files of the list are skipped and the first that can be used wins, without a merge', async () => {
    const list = [
      join(folder, 'absent'),
      file('broken', '{ not yaml: ['),
      file('empty', ''),
      file('good', config({ token: 't1' })),
      file('later', config({ token: 't2' })),
    ];
    const access = loadClusterAccess({ KUBECONFIG: list.join(':') }, options());
    expect(access).toMatchObject({ server: 'https://api.example.com:6443', source: join(folder, 'good'), namespace: 'team' });
    expect((await access.credentials()).headers.authorization).toBe('Bearer t1');
  });

  test('without KUBECONFIG it is the file in the home folder', () => {
    expect(() => loadClusterAccess({ HOME: folder }, options())).toThrow(`${folder}/.kube/config (not there)`);
  });

  test('nothing anywhere names every place it looked', () => {
    const absent = join(folder, 'absent');
    const odd = file('odd', JSON.stringify({ 'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }] }));
    expect(() => loadClusterAccess({ KUBECONFIG: `${absent}::${odd}` }, options())).toThrow(
      'no usable Kubernetes configuration; looked at the pod (KUBERNETES_SERVICE_HOST is not set), ' +
        `${absent} (not there), ${odd} (its context "x" names the cluster "c", which is not there)`,
    );
  });

  test('in a pod the service account comes first, and nobody is impersonated', async () => {
    file('token', 'pod-token\n');
    file('ca.crt', 'CA');
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', KUBECONFIG: file('good', config({})) };
    const access = loadClusterAccess(env, options({ serviceAccountFolder: folder }));
    expect(access).toMatchObject({ server: 'https://10.0.0.1:443', source: 'in-cluster' });
    expect(await access.credentials()).toMatchObject({ headers: { authorization: 'Bearer pod-token' }, tls: { ca: Buffer.from('CA') } });
    expect((await access.credentials()).headers).not.toHaveProperty('impersonate-user');
  });

  test('a pod without the authority of the cluster says so', () => {
    file('token', 't');
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    expect(() => loadClusterAccess(env, options({ serviceAccountFolder: folder }))).toThrow(`the pod (${folder}/ca.crt: not there)`);
  });

  test('a host of IPv6 stands in brackets', () => {
    file('token', 't');
    file('ca.crt', 'CA');
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    expect(loadClusterAccess(env, options({ serviceAccountFolder: folder })).server).toBe('https://[fd00::1]:443');
  });
});

describe('who it is', () => {
  const headers = async (user: object, more: object = {}) =>
    (await loadClusterAccess({ KUBECONFIG: file('c', config(user)) }, options(more)).credentials()).headers;

  test('outside a cluster the service account of the operator is impersonated, unless that is turned off', async () => {
    expect(await headers({})).toEqual({ 'impersonate-user': 'system:serviceaccount:mogenius:mogenius-operator-service-account-app' });
    expect(await headers({}, { skipImpersonation: true })).toEqual({});
    expect(await headers({ as: 'jane' }, { skipImpersonation: true })).toEqual({ 'impersonate-user': 'jane' });
  });

  test('token files and certificates are relative to the file that names them', async () => {
    file('tok', 'from-file');
    file('cert.pem', 'CERT');
    file('key.pem', 'KEY');
    const path = file('c', config({ tokenFile: 'tok', 'client-certificate': 'cert.pem', 'client-key': 'key.pem' }));
    const access = loadClusterAccess({ KUBECONFIG: path }, options({ skipImpersonation: true }));
    expect(await access.credentials()).toMatchObject({
      headers: { authorization: 'Bearer from-file' },
      tls: { cert: Buffer.from('CERT'), key: Buffer.from('KEY') },
    });
  });

  test('a name and password', async () => {
    expect(await headers({ username: 'me', password: 'pw' }, { skipImpersonation: true })).toEqual({ authorization: 'Basic bWU6cHc=' });
  });

  test('the same objects are given as long as nothing changed', async () => {
    const access = loadClusterAccess({ KUBECONFIG: file('c', config({ token: 't' })) }, options());
    const once = await access.credentials();
    expect(await access.credentials()).toBe(once);
    access.refresh();
    expect((await access.credentials()).tls).toBe(once.tls);
  });

  test('TLS options of the cluster', async () => {
    const path = file(
      'c',
      config({}, { 'insecure-skip-tls-verify': true, 'tls-server-name': 'kubernetes', 'proxy-url': 'http://proxy:3128' }),
    );
    const access = loadClusterAccess({ KUBECONFIG: path }, options());
    expect(access.proxy).toBe('http://proxy:3128');
    expect((await access.credentials()).tls).toMatchObject({ rejectUnauthorized: false, servername: 'kubernetes' });
  });
});
