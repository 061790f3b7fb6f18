export { type LoadOptions, loadClusterAccess } from './load.ts';
export type { ClusterAccess, ClusterTls, Credentials } from './types.ts';
