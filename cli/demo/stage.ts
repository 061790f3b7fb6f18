import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../adapters/clock/index.ts';
import { createCluster, loadClusterAccess } from '../../adapters/kubernetes/index.ts';
import { createSandbox } from '../../adapters/sandbox/index.ts';
import { createStandInPlatform, type StandInPlatform } from '../../adapters/stand-in/index.ts';
import { namespaces } from '../../domain/kinds.ts';
import type { Cluster, Log } from '../../domain/ports/index.ts';
import { findValkey } from '../../scripts/valkey.mjs';
import { say } from './print.ts';
import { eventually, freePort, type Running, startProcess } from './processes.ts';

/** Everything around the operator: a log server, a Kubernetes API, a platform. */
export interface Stage {
  readonly platform: StandInPlatform;
  readonly cluster: Cluster;
  readonly namespace: string;
  /** Where the operator's HTTP API is. */
  readonly http: string;
  /** Starts the operator and waits until it is ready. `more` is added to its environment. */
  operator(more?: Readonly<Record<string, string>>): Promise<Running>;
  /** Deletes what the views are made of. Only while the operator is stopped. */
  forgetViews(): Promise<number>;
  /** Ends everything and leaves nothing behind. */
  clear(): Promise<void>;
}

export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, component: () => quiet };

export async function setStage(how: { readonly realCluster: boolean }): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'mogenius-demo-'));
  const ends: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const clear = async () => {
    for (const end of ends.splice(0).reverse()) await end().catch(() => undefined);
  };
  try {
    const valkey = await startValkey(folder, ends);
    const kubeconfig = how.realCluster ? process.env.KUBECONFIG : await startSandbox(folder, ends);
    const env = { ...process.env, ...(kubeconfig ? { KUBECONFIG: kubeconfig } : {}) };
    const suffix = randomBytes(3).toString('hex');
    const clusterId = randomBytes(11).toString('hex').slice(0, 21);
    const namespace = `mogenius-demo-${suffix}`;
    const access = loadClusterAccess(env, { ownNamespace: namespace, skipImpersonation: true, log: quiet });
    const cluster = createCluster(access, { fieldManager: 'mogenius-demo', log: quiet });
    ends.push(() => cluster.close());
    for (const name of [namespace, `shop-${suffix}`]) {
      await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      if (how.realCluster) ends.push(() => cluster.delete(namespaces, { name }));
    }
    say.line(
      how.realCluster
        ? `the cluster that KUBECONFIG names (${await cluster.version()}), namespaces ${namespace} and shop-${suffix}`
        : 'a sandbox Kubernetes API in this process',
    );
    const platform = createStandInPlatform();
    await platform.start(AbortSignal.timeout(10_000));
    ends.push(() => platform.stop({ deadline: 1_000 }));
    say.line('a stand-in platform that the operator dials');

    const port = await freePort();
    const http = `http://127.0.0.1:${port}`;
    const operator = async (more: Readonly<Record<string, string>> = {}) => {
      const running = startProcess(process.execPath, [join(import.meta.dirname, 'operator.ts')], {
        ...env,
        MO_API_SERVER: platform.apiUrl,
        MO_EVENT_SERVER: platform.eventUrl,
        MO_API_KEY: `demo-${randomBytes(12).toString('hex')}`,
        MO_CLUSTER_NAME: 'demo',
        MO_CLUSTER_MFA_ID: clusterId,
        MO_OWN_NAMESPACE: namespace,
        OWN_NODE_NAME: 'demo',
        MO_SKIP_IMPERSONATION: 'true',
        MO_HTTP_ADDR: `127.0.0.1:${port}`,
        MO_LOG_LEVEL: 'warn',
        MO_VALKEY_ADDR: valkey ?? '127.0.0.1:1',
        ...(valkey ? {} : { OPERATOR_LOG_FILE: join(folder, 'log.jsonl') }),
        ...more,
      });
      ends.push(() => running.stop());
      await eventually('the operator is ready', async () => (await fetch(`${http}/readyz`)).ok, running);
      await platform.connected('api', 1);
      return running;
    };
    return {
      platform,
      cluster,
      namespace,
      http,
      operator,
      clear,
      forgetViews: () => (valkey ? deleteViews(valkey, clusterId) : Promise.resolve(0)),
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

async function startValkey(folder: string, ends: (() => Promise<unknown>)[]): Promise<string | undefined> {
  const program = await findValkey({ log: (sentence) => say.line(sentence) });
  if (program === undefined) {
    say.line('no Valkey can be had here: the embedded log is used instead');
    return undefined;
  }
  const port = await freePort();
  const server = startProcess(program.command, [
    ...program.args,
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--appendonly',
    'yes',
    '--save',
    '',
    '--maxmemory',
    '512mb',
    '--maxmemory-policy',
    'noeviction',
  ]);
  ends.push(() => server.stop());
  await eventually('Valkey answers', () => answers(port), server);
  say.line(`${program.version} on a free port, appending to a file`);
  return `127.0.0.1:${port}`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket.end() === socket));
    socket.once('error', () => resolve(false));
  });
}

async function startSandbox(folder: string, ends: (() => Promise<unknown>)[]): Promise<string> {
  const sandbox = createSandbox({ clock: systemClock });
  await sandbox.start(AbortSignal.timeout(10_000));
  ends.push(() => sandbox.stop({ deadline: 1_000 }));
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, sandbox.kubeconfig(), { mode: 0o600 });
  return file;
}

/** By hand, as a person would who doubts: every key that begins with the views' prefix. */
async function deleteViews(address: string, clusterId: string): Promise<number> {
  const { Redis } = await import('iovalkey');
  const [host = '', port = ''] = address.split(':');
  const client = new Redis(Number(port), host);
  let deleted = 0;
  for await (const keys of client.scanStream({ match: `{${clusterId}}:view*`, count: 500 })) {
    if (Array.isArray(keys) && keys.length > 0) deleted += await client.unlink(...keys.map(String));
  }
  await client.quit();
  return deleted;
}
