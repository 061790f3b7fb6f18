export { type ClusterAccess, type LoadOptions, loadClusterAccess } from './access/index.ts';
export { type ClusterOptions, type ConnectedCluster, createCluster } from './cluster.ts';
export { createLeadership, type LeadershipOptions } from './lease/index.ts';
export { type ConnectedObjectSource, createObjectSource, type ObjectSourceOptions } from './reflector/index.ts';
export {
  type ClusterIdentity,
  type ClusterSecretValues,
  type CrdDefinition,
  ensureClusterSecret,
  installCrds,
  loadCrds,
} from './setup/index.ts';
export type { Timeouts, TransportOptions } from './transport.ts';
