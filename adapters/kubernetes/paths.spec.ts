import { expect, test } from 'vitest';
import { clusterRoles, configMaps, uiConfigs, workspaces } from '../../domain/kinds.ts';
import { collectionPath, objectPath, query } from './paths.ts';

test('paths of the core group, of other groups, of all namespaces and of the cluster', () => {
  expect(objectPath(configMaps, { name: 'a', namespace: 'ns' })).toBe('/api/v1/namespaces/ns/configmaps/a');
  expect(objectPath(workspaces, { name: 'a', namespace: 'ns' }, 'status')).toBe(
    '/apis/mogenius.com/v1alpha1/namespaces/ns/workspaces/a/status',
  );
  expect(collectionPath(configMaps)).toBe('/api/v1/configmaps');
  expect(collectionPath(uiConfigs, 'ignored')).toBe('/apis/mogenius.com/v1alpha1/uiconfigs');
  expect(objectPath(clusterRoles, { name: 'system:a/b' })).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%2Fb');
});

test('a name that would lead elsewhere is refused', () => {
  for (const name of ['', '.', '..']) expect(() => objectPath(uiConfigs, { name })).toThrow('is no name');
  expect(() => objectPath(configMaps, { name: 'a' })).toThrow('ConfigMap "a" needs a namespace');
  expect(objectPath(configMaps, { name: 'a', namespace: '../../secrets' })).toBe('/api/v1/namespaces/..%2F..%2Fsecrets/configmaps/a');
});

test('a query leaves out what is not set', () => {
  expect(query({ labelSelector: 'a=b,c in (d)', limit: 500, continue: undefined, dryRun: false, fieldSelector: '' })).toBe(
    '?labelSelector=a%3Db%2Cc%20in%20(d)&limit=500',
  );
  expect(query({})).toBe('');
});
