import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../adapters/clock/index.ts';
import { type ClusterAccess, type ConnectedCluster, createCluster, loadClusterAccess } from '../../../adapters/kubernetes/index.ts';
import { createSandbox, type SandboxControl } from '../../../adapters/sandbox/index.ts';
import { namespaces } from '../../../domain/kinds.ts';
import { captureLog } from '../captured-log/index.ts';

/** Why tests against a real server can't run, or false. A KUBECONFIG that leads nowhere is an error, not a reason to skip. */
export const clusterMissing: string | false = process.env.KUBECONFIG
  ? false
  : 'KUBECONFIG is not set: there is no API server to test against';

export interface TestCluster {
  readonly access: ClusterAccess;
  readonly cluster: ConnectedCluster;
  /** Path of the file that leads there. */
  readonly kubeconfig: string;
  /** What can be done to the server; only for the sandbox. */
  readonly control?: SandboxControl;
  /** A namespace of this test alone. */
  readonly namespace: string;
  stop(): Promise<void>;
}

/** Servers that have to behave alike. */
export const clusters: readonly { name: string; missing: string | false; open(prefix: string): Promise<TestCluster> }[] = [
  { name: 'the sandbox', missing: false, open: sandboxCluster },
  { name: 'a real API server', missing: clusterMissing, open: testCluster },
];

/** The API server that KUBECONFIG names, with a fresh namespace. */
export function testCluster(prefix: string): Promise<TestCluster> {
  return open(prefix, process.env, async () => undefined);
}

/** A sandbox of its own, over TLS. */
export async function sandboxCluster(prefix: string): Promise<TestCluster> {
  const sandbox = createSandbox({ clock: systemClock });
  await sandbox.start(AbortSignal.timeout(10_000));
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  const KUBECONFIG = join(folder, 'kubeconfig');
  await writeFile(KUBECONFIG, sandbox.kubeconfig());
  return open(
    prefix,
    { KUBECONFIG },
    async () => {
      await sandbox.stop({ deadline: 1_000 });
      await rm(folder, { recursive: true });
    },
    sandbox.control,
  );
}

async function open(prefix: string, env: NodeJS.ProcessEnv, close: () => Promise<void>, control?: SandboxControl): Promise<TestCluster> {
  const log = captureLog();
  const access = loadClusterAccess(env, { ownNamespace: 'mogenius', skipImpersonation: true, log });
  const cluster = createCluster(access, { fieldManager: 'mogenius-operator', log });
  const namespace = `${prefix}-${randomUUID().slice(0, 8)}`;
  await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return {
    access,
    cluster,
    kubeconfig: env.KUBECONFIG ?? '',
    ...(control ? { control } : {}),
    namespace,
    async stop() {
      await cluster.delete(namespaces, { name: namespace }, { propagation: 'Background' });
      await cluster.close();
      await close();
    },
  };
}

/** The same way in, another address: a proxy or a double. */
export function accessTo(server: string, from?: ClusterAccess): ClusterAccess {
  return {
    server,
    source: 'test',
    credentials: () => from?.credentials() ?? { headers: {}, tls: noTls },
    refresh: () => from?.refresh(),
  };
}
const noTls = {};
