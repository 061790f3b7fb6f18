export { accessTo, clusterMissing, type TestCluster, testCluster } from './cluster.ts';
