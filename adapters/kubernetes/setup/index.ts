export { type ClusterIdentity, type ClusterSecretValues, ensureClusterSecret } from './cluster-secret.ts';
export { installCrds } from './install-crds.ts';
export { type CrdDefinition, loadCrds } from './load-crds.ts';
