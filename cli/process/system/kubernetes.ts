import type { Environment } from '../../../adapters/environment/index.ts';
import { createCluster, loadClusterAccess } from '../../../adapters/kubernetes/index.ts';
import type { Configuration } from '../../../domain/configuration/index.ts';
import { ClusterRefused } from '../../../domain/errors.ts';
import { customResourceDefinitions, grants, leases, namespaces, roleBindings, secrets, users, workspaces } from '../../../domain/kinds.ts';
import type { Cluster, Log, ResourceKind } from '../../../domain/ports/index.ts';
import { type Finding, fail, ok, sentence, warn } from '../../findings/index.ts';

const check = 'Kubernetes';
const patience = 10_000;

/** Whether the API server answers, and whether we may read and write what the operator lives on. Writes are dry runs. */
export async function checkKubernetes(config: Configuration, env: Environment, log: Log, signal: AbortSignal): Promise<readonly Finding[]> {
  const namespace = config.get('MO_OWN_NAMESPACE');
  try {
    const access = loadClusterAccess(env, { ownNamespace: namespace, skipImpersonation: config.get('MO_SKIP_IMPERSONATION'), log });
    const cluster = createCluster(access, { fieldManager: config.get('OWN_DEPLOYMENT_NAME'), log, debug: config.get('KUBERNETES_DEBUG') });
    const until = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    try {
      const version = await cluster.version({ signal: until });
      const missing = await rights(cluster, namespace, config.get('MO_GRANT_RBAC'), until);
      const reached = ok(check, `version ${version} at ${access.server}`);
      return missing.length > 0
        ? [reached, ...missing]
        : [reached, ok('Kubernetes rights', `everything needed may be done in ${namespace}`)];
    } finally {
      await cluster.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    return [fail(check, sentence(error), 'Check KUBECONFIG (or the service account of the pod) and that the API server answers.')];
  }
}

async function rights(cluster: Cluster, namespace: string, bindings: boolean, signal: AbortSignal): Promise<readonly Finding[]> {
  const read = (kind: ResourceKind) => () => cluster.list(kind, { limit: 1, signal, ...(kind.namespaced ? { namespace } : {}) });
  const tries: readonly (readonly [what: string, attempt: () => Promise<unknown>])[] = [
    ...[workspaces, users, grants, namespaces, secrets, leases, customResourceDefinitions].map(
      (kind) => [`list ${kind.plural}`, read(kind)] as const,
    ),
    ...(bindings ? [['list rolebindings', read(roleBindings)] as const] : []),
    ['create leases', () => cluster.create(leases, probe(leases, namespace), { dryRun: true, signal })],
    ['create secrets', () => cluster.create(secrets, probe(secrets, namespace), { dryRun: true, signal })],
  ];
  const found = await Promise.all(
    tries.map(([what, attempt]) =>
      attempt().then(
        () => [],
        (error: unknown) => refusal(what, namespace, error),
      ),
    ),
  );
  // The namespace that is not there yet is one finding, however many tries met it.
  return found.flat().filter((one, at, all) => all.findIndex(({ found: text }) => text === one.found) === at);
}

const probe = (kind: ResourceKind, namespace: string) => ({
  apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
  kind: kind.kind,
  metadata: { name: 'mogenius-operator-check', namespace },
});

function refusal(what: string, namespace: string, error: unknown): readonly Finding[] {
  const rightsCheck = 'Kubernetes rights';
  if (!ClusterRefused.is(error)) return [fail(rightsCheck, `${what}: ${sentence(error)}`, 'Ask again; the API server answered before.')];
  const { status, reason } = error.data;
  if (status === 403) return [fail(rightsCheck, error.message, 'Give the service account the role of the chart (see docs/operating.md).')];
  // Before the first start neither our kinds nor, outside a chart, the namespace is there; the operator makes both.
  if (status === 404 && what.startsWith('list'))
    return [warn(rightsCheck, `${what}: not defined in this cluster yet`, 'The operator installs its definitions when it starts.')];
  if (status === 404)
    return [warn(rightsCheck, `the namespace ${namespace} is not there yet`, 'The operator makes it when it starts, if it may.')];
  return reason === 'AlreadyExists'
    ? []
    : [fail(rightsCheck, `${what}: ${error.message}`, 'The message of the API server says what to do.')];
}
