import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { execPlugin } from './exec-plugin.ts';

let folder: string;
let time: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugin-'));
  time = Date.UTC(2026, 0, 1);
});
afterEach(() => rmSync(folder, { recursive: true }));

const apiVersion = 'client.authentication.k8s.io/v1';

/** A plugin that counts its runs and answers with `status`, in which N stands for the number of the run. */
function plugin(status: string, more: { args?: string[]; env?: { name: string; value: string }[] } = {}) {
  const command = join(folder, 'plugin.sh');
  const script = `#!/bin/sh
n=$(($(cat ${folder}/runs 2>/dev/null || echo 0) + 1)); echo $n >${folder}/runs
printf '%s' "$KUBERNETES_EXEC_INFO" >${folder}/info
printf '%s' '${status}' | sed "s/-N/-$n/; s/ARG/$1/; s/VAR/$GIVEN/"
`;
  writeFileSync(command, script);
  chmodSync(command, 0o755);
  return execPlugin({ apiVersion, command, ...more }, { now: () => time, env: { PATH: process.env.PATH } });
}
const runs = () => Number(readFileSync(join(folder, 'runs'), 'utf8'));

test('a token is kept until shortly before its end', async () => {
  const grantee = plugin('{"status":{"token":"token-N","expirationTimestamp":"2026-01-01T01:00:00Z"}}');
  expect(await grantee.read()).toEqual({ headers: { authorization: 'Bearer token-1' } });
  time += 3_580_000;
  expect(grantee.read()).toEqual({ headers: { authorization: 'Bearer token-1' } });
  time += 11_000;
  expect(await grantee.read()).toEqual({ headers: { authorization: 'Bearer token-2' } });
});

test('requests at the same time wait for one run, and a refused token is asked for again', async () => {
  const grantee = plugin('{"status":{"token":"token-N"}}');
  await Promise.all([grantee.read(), grantee.read(), grantee.read()]);
  expect(runs()).toBe(1);
  grantee.refresh();
  expect(await grantee.read()).toEqual({ headers: { authorization: 'Bearer token-2' } });
});

test('arguments, environment and KUBERNETES_EXEC_INFO reach the plugin', async () => {
  const grantee = plugin('{"status":{"token":"ARG-VAR"}}', { args: ['one'], env: [{ name: 'GIVEN', value: 'two' }] });
  expect(await grantee.read()).toEqual({ headers: { authorization: 'Bearer one-two' } });
  expect(JSON.parse(readFileSync(join(folder, 'info'), 'utf8'))).toEqual({
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false },
  });
});

test('a client certificate becomes part of TLS', async () => {
  const grantee = plugin('{"status":{"clientCertificateData":"CERT","clientKeyData":"KEY"}}');
  expect(await grantee.read()).toEqual({ headers: {}, tls: { cert: 'CERT', key: 'KEY' } });
});

test('what a failing plugin printed is not told, as it may hold a token', async () => {
  const command = join(folder, 'failing.sh');
  writeFileSync(command, '#!/bin/sh\necho secret-token\necho secret-token >&2\nexit 3\n');
  chmodSync(command, 0o755);
  const grantee = execPlugin({ apiVersion, command }, { now: () => time, env: {} });
  await expect(grantee.read()).rejects.toThrow(new Error(`the credential plugin ${command} failed (3)`));
});
