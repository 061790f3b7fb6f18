import { fileURLToPath } from 'node:url';
import {
  type ClusterIdentity,
  type ConnectedCluster,
  type ConnectedObjectSource,
  createCluster,
  createObjectSource,
  ensureClusterSecret,
  installCrds,
  loadClusterAccess,
  loadCrds,
} from '../../adapters/kubernetes/index.ts';
import type { Configuration } from '../../domain/configuration/index.ts';
import type { Clock, Log } from '../../domain/ports/index.ts';
import { ensureOwnNamespace } from './own-namespace.ts';
import { persist } from './persist.ts';

export interface Kubernetes {
  readonly cluster: ConnectedCluster;
  readonly source: ConnectedObjectSource;
}

interface Tools {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The connection to the cluster, made from the environment. Connects nothing. Throws `ClusterConfigMissing`. */
export function openKubernetes(config: Configuration, { clock, log }: Omit<Tools, 'signal'>): Kubernetes {
  const access = loadClusterAccess(process.env, {
    ownNamespace: config.get('MO_OWN_NAMESPACE'),
    skipImpersonation: config.get('MO_SKIP_IMPERSONATION'),
    log,
  });
  const transport = { clock, log: log.component('kubernetes'), debug: config.get('KUBERNETES_DEBUG') };
  return {
    cluster: createCluster(access, { ...transport, fieldManager: config.get('OWN_DEPLOYMENT_NAME') }),
    source: createObjectSource(access, transport),
  };
}

/** Who this cluster is, from the Secret in the own namespace; made when there is none. */
export function identify(config: Configuration, { cluster }: Kubernetes, tools: Tools): Promise<ClusterIdentity> {
  const namespace = config.get('MO_OWN_NAMESPACE');
  const values = {
    namespace,
    clusterName: config.get('MO_CLUSTER_NAME'),
    apiKey: config.find('MO_API_KEY') || undefined,
    mfaId: config.find('MO_CLUSTER_MFA_ID') || undefined,
  };
  return persist(
    'reading the identity of the cluster',
    async () => {
      await ensureOwnNamespace(cluster, namespace, tools.signal);
      return ensureClusterSecret(cluster, { ...values, signal: tools.signal });
    },
    tools,
  );
}

/** Our kinds, before anything looks for objects of them. */
export async function defineKinds({ cluster }: Kubernetes, tools: Tools): Promise<void> {
  const definitions = await loadCrds(crdFolder());
  await persist('installing the custom resource definitions', () => installCrds(cluster, definitions, tools), tools);
}

/** Beside the bundle, or beside the sources. */
const crdFolder = (): string => fileURLToPath(new URL(globalThis.MOGENIUS_BUILD === undefined ? '../../crds' : './crds', import.meta.url));
