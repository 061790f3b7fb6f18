import type { ResourceKind } from './ports/index.ts';

const ours = (kind: string, plural: string, namespaced = true): ResourceKind => ({
  group: 'mogenius.com',
  version: 'v1alpha1',
  kind,
  plural,
  namespaced,
});

export const workspaces = ours('Workspace', 'workspaces');
export const users = ours('User', 'users');
export const grants = ours('Grant', 'grants');
export const workspaceDashboards = ours('WorkspaceDashboard', 'workspacedashboards');
export const agents = ours('Agent', 'agents');
export const aiModels = ours('AiModel', 'aimodels');
export const mcpServers = ours('McpServer', 'mcpservers');
export const uiConfigs = ours('UIConfig', 'uiconfigs', false);
export const platformConfigs = ours('PlatformConfig', 'platformconfigs', false);
export const platformPatches = ours('PlatformPatch', 'platformpatches', false);

/** The custom resources we define, in the order they are installed. */
export const ourKinds = [
  workspaces,
  users,
  grants,
  workspaceDashboards,
  agents,
  aiModels,
  mcpServers,
  uiConfigs,
  platformConfigs,
  platformPatches,
] as const;

export const namespaces: ResourceKind = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
export const secrets: ResourceKind = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
export const configMaps: ResourceKind = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
export const leases: ResourceKind = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true };
export const roleBindings: ResourceKind = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
};
export const clusterRoles: ResourceKind = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};
export const customResourceDefinitions: ResourceKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
