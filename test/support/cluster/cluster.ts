import { randomUUID } from 'node:crypto';
import { type ClusterAccess, type ConnectedCluster, createCluster, loadClusterAccess } from '../../../adapters/kubernetes/index.ts';
import { namespaces } from '../../../domain/kinds.ts';
import { captureLog } from '../captured-log/index.ts';

/** Why tests of this tier can't run, or false. A KUBECONFIG that leads nowhere is an error, not a reason to skip. */
export const clusterMissing: string | false = process.env.KUBECONFIG
  ? false
  : 'KUBECONFIG is not set: there is no API server to test against';

export interface TestCluster {
  readonly access: ClusterAccess;
  readonly cluster: ConnectedCluster;
  /** A namespace of this test alone. */
  readonly namespace: string;
  stop(): Promise<void>;
}

/** The API server that KUBECONFIG names, with a fresh namespace. */
export async function testCluster(prefix: string): Promise<TestCluster> {
  const log = captureLog();
  const access = loadClusterAccess(process.env, { ownNamespace: 'mogenius', skipImpersonation: true, log });
  const cluster = createCluster(access, { fieldManager: 'mogenius-operator', log });
  const namespace = `${prefix}-${randomUUID().slice(0, 8)}`;
  await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return {
    access,
    cluster,
    namespace,
    async stop() {
      await cluster.delete(namespaces, { name: namespace }, { propagation: 'Background' });
      await cluster.close();
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
