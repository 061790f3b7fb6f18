export { accessTo, clusterMissing, clusters, sandboxCluster, type TestCluster, testCluster } from './cluster.ts';
