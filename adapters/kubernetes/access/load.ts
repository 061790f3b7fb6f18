import { existsSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ClusterConfigMissing } from '../../../domain/errors.ts';
import type { Log } from '../../../domain/ports/index.ts';
import { access } from './access.ts';
import { type KubeconfigContext, readKubeconfig } from './kubeconfig.ts';
import { tokenFile } from './token-file.ts';
import type { ClusterAccess } from './types.ts';
import { granteeOf } from './user.ts';

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface LoadOptions {
  readonly ownNamespace: string;
  readonly skipImpersonation: boolean;
  readonly log: Log;
  /** Where the pod's token and CA lie. */
  readonly serviceAccountFolder?: string;
}

/**
 * Where the cluster is: the pod's own service account, else the first file of `KUBECONFIG` that can be used (no merge), else
 * `~/.kube/config`. Connects nothing. Outside a cluster the operator's service account is impersonated, so that a person who develops
 * meets the rights the operator will have. Throws `ClusterConfigMissing`, which names where it looked.
 */
export function loadClusterAccess(env: NodeJS.ProcessEnv, options: LoadOptions): ClusterAccess {
  const looked: string[] = [];
  const own = inCluster(env, options.serviceAccountFolder ?? serviceAccountFolder, looked);
  if (own) return own;

  for (const file of candidates(env)) {
    try {
      const context = readKubeconfig(file);
      const made = outside(context, env, options);
      if (looked.length > 1) options.log.debug('kubeconfig files were skipped', { skipped: looked.slice(1), used: file });
      return made;
    } catch (error) {
      looked.push(`${file} (${reason(error)})`);
    }
  }
  throw ClusterConfigMissing({ looked });
}

function candidates(env: NodeJS.ProcessEnv): string[] {
  if (env.KUBECONFIG) return env.KUBECONFIG.split(delimiter).filter((file) => file !== '');
  return env.HOME ? [join(env.HOME, '.kube', 'config')] : [];
}

function inCluster(env: NodeJS.ProcessEnv, folder: string, looked: string[]): ClusterAccess | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const token = join(folder, 'token');
  if (!host || !port) {
    looked.push('the pod (KUBERNETES_SERVICE_HOST is not set)');
    return undefined;
  }
  if (!existsSync(token)) {
    looked.push(`the pod (${token} is not there)`);
    return undefined;
  }
  try {
    return access({
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      source: 'in-cluster',
      tls: { caFile: join(folder, 'ca.crt') },
      grantee: tokenFile(token, () => performance.now()),
    });
  } catch (error) {
    looked.push(`the pod (${join(folder, 'ca.crt')}: ${reason(error)})`);
    return undefined;
  }
}

function outside(context: KubeconfigContext, env: NodeJS.ProcessEnv, options: LoadOptions): ClusterAccess {
  const { cluster, user } = context;
  const as = options.skipImpersonation
    ? user?.impersonateUser
    : `system:serviceaccount:${options.ownNamespace}:mogenius-operator-service-account-app`;
  return access({
    server: cluster.server,
    source: context.file,
    namespace: context.namespace,
    proxy: cluster.proxyUrl,
    tls: {
      caFile: cluster.caFile,
      caData: cluster.caData,
      certFile: user?.certFile,
      certData: user?.certData,
      keyFile: user?.keyFile,
      keyData: user?.keyData,
      servername: cluster.tlsServerName,
      insecure: cluster.skipTLSVerify,
    },
    grantee: granteeOf(context, env),
    headers: as ? { 'impersonate-user': as } : {},
  });
}

function reason(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'not there';
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unreadable';
}
