import { ClusterRefused } from '../../domain/errors.ts';
import { namespaces } from '../../domain/kinds.ts';
import type { Cluster } from '../../domain/ports/index.ts';

/** The chart makes the namespace; whoever starts the operator by hand should not have to. A right that is missing is told only if it is needed. */
export async function ensureOwnNamespace(cluster: Cluster, name: string, signal: AbortSignal): Promise<void> {
  try {
    await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { signal });
  } catch (error) {
    if (ClusterRefused.is(error) && (error.data.reason === 'AlreadyExists' || error.data.reason === 'Forbidden')) return;
    throw error;
  }
}
