import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createSandbox, type Sandbox } from '../../../adapters/sandbox/index.ts';
import { thing, thingDefinition } from '../../support/kubernetes/index.ts';

const missing = spawnSync('kubectl', ['version', '--client']).error === undefined ? false : 'kubectl is not on PATH';
const run = promisify(execFile);

describe.skipIf(missing)(`kubectl on the sandbox${missing ? ` (${missing})` : ''}`, () => {
  const home = mkdtempSync(join(tmpdir(), 'sandbox-kubectl-'));
  const environment = { ...process.env, HOME: home, KUBECONFIG: join(home, 'config') };
  let sandbox: Sandbox;

  const kubectl = async (...parts: string[]) => (await run('kubectl', parts, { env: environment })).stdout.trim();
  const file = (name: string, object: object) => {
    writeFileSync(join(home, name), JSON.stringify(object));
    return join(home, name);
  };
  const configMap = (value: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'kubectl' },
    data: { key: value },
  });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubectl' } };

  beforeAll(async () => {
    sandbox = createSandbox({ clock: systemClock });
    await sandbox.start(AbortSignal.timeout(10_000));
    writeFileSync(environment.KUBECONFIG, sandbox.kubeconfig());
  });
  afterAll(async () => {
    await sandbox.stop({ deadline: 1_000 });
    rmSync(home, { recursive: true, force: true });
  });

  it('knows the version of the server', async () => {
    expect(await kubectl('version')).toContain('Server Version: v1.34.4');
  });
  it('applies, applies again and changes', async () => {
    const objects = ['-f', file('namespace.json', namespace), '-f', file('map.json', configMap('1'))];
    expect(await kubectl('apply', ...objects)).toBe('namespace/kubectl created\nconfigmap/a created');
    expect(await kubectl('apply', ...objects)).toBe('namespace/kubectl unchanged\nconfigmap/a unchanged');
    expect(await kubectl('apply', '-f', file('changed.json', configMap('2')))).toBe('configmap/a configured');
    expect(await kubectl('get', 'cm', 'a', '-n', 'kubectl', '-o', 'jsonpath={.data.key}')).toBe('2');
  });
  it('applies on the side of the server', async () => {
    const objects = file('server.json', configMap('3'));
    await expect(kubectl('apply', '--server-side', '-f', objects)).rejects.toThrow('Apply failed with 1 conflict');
    expect(await kubectl('apply', '--server-side', '--force-conflicts', '-f', objects)).toBe('configmap/a serverside-applied');
  });
  it('applies a definition, waits for it and prints its columns', async () => {
    await kubectl('apply', '-f', file('definition.json', thingDefinition('kubectl.example.com')));
    await kubectl('wait', '--for=condition=Established', 'crd/things.kubectl.example.com');
    const one = { ...thing('kubectl.example.com', 'one', { spec: { size: 3 } }), metadata: { name: 'one', namespace: 'kubectl' } };
    await kubectl('apply', '-f', file('thing.json', one));
    const [head = '', row = ''] = (await kubectl('get', 'th', '-n', 'kubectl')).split('\n');
    expect([head.split(/\s+/), row.split(/\s+/).slice(0, 2)]).toEqual([
      ['NAME', 'SIZE', 'READY', 'AGE'],
      ['one', '3'],
    ]);
  });
  it('watches', async () => {
    const watching = spawn('kubectl', ['get', 'cm', '-n', 'kubectl', '-w', '-o', 'name'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines = createInterface({ input: watching.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('configmap/a');
    await kubectl('label', 'cm', 'a', '-n', 'kubectl', 'x=y');
    expect((await lines.next()).value).toBe('configmap/a');
    watching.kill();
  });
  it('deletes', async () => {
    expect(await kubectl('delete', 'cm', 'a', '-n', 'kubectl')).toMatch(/^configmap "a" deleted/);
    expect(await kubectl('delete', 'ns', 'kubectl')).toMatch(/^namespace "kubectl" deleted/);
    await expect(kubectl('get', 'ns', 'kubectl')).rejects.toThrow('namespaces "kubectl" not found');
  });
});
