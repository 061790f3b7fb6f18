import { namespaces, workspaceDashboards, workspaces } from '../../domain/kinds.ts';
import type { Directory, StoredObject } from '../../domain/ports/index.ts';
import { type WorkspaceResource, workspaceSpec } from '../../domain/workspace/index.ts';
import { done, reconciler, type StepContext, type StepResult, step, unknown, wrong } from './step.ts';

/** Tells on the Workspace itself whether what it refers to exists. Changes nothing else. */
export const reconcileWorkspace = reconciler(
  workspaces,
  [step('DashboardRefValid', dashboardRefValid), step('ResourcesValid', resourcesValid)],
  {
    writesConditions: true,
    triggers: [
      {
        kind: namespaces,
        affects: (changed, directory, own) => refsWhere(directory, own, (spec) => namespacesNamed(spec.resources ?? []).has(changed.name)),
      },
      {
        kind: workspaceDashboards,
        affects: (changed, directory, own) => refsWhere(directory, own, (spec) => spec.dashboardRef === changed.name),
      },
    ],
  },
);

function dashboardRefValid({ object, directory, ownNamespace }: StepContext): StepResult {
  const name = specOf(object).dashboardRef;
  if (!name) return done('NoReference', 'No WorkspaceDashboard referenced');
  if (directory.get(workspaceDashboards, { name, namespace: ownNamespace })) return done('Found', `WorkspaceDashboard "${name}" exists`);
  // Not seen is not the same as not there.
  if (!directory.complete(workspaceDashboards))
    return unknown('LookupFailed', `Failed to look up WorkspaceDashboard "${name}": the list is not complete yet`);
  return wrong('NotFound', `WorkspaceDashboard "${name}" does not exist`);
}

function resourcesValid({ object, directory }: StepContext): StepResult {
  const resources = specOf(object).resources ?? [];
  const named = namespacesNamed(resources);
  if (named.size > 0 && !directory.complete(namespaces))
    return unknown('LookupFailed', 'Failed to look up the namespaces: the list is not complete yet');
  const problems = resources.flatMap((resource) => problemOf(resource, directory));
  return problems.length === 0
    ? done('AllResourcesFound', 'All referenced resources exist in the cluster')
    : wrong('ResourcesNotFound', [...new Set(problems)].join('; '));
}

function problemOf({ id, type, namespace }: WorkspaceResource, directory: Directory): readonly string[] {
  const subject = `Workspace contains a resource of type '${type}'`;
  switch (type) {
    case 'namespace':
      if (!id) return [`${subject} which does not specifiy the namespace name in resource.Id`];
      return missing(id);
    case 'helm':
      if (!namespace) return [`${subject} which does not specifiy the namespace name in resource.Namespace`];
      return missing(namespace);
    case 'argocd':
    case 'flux':
      return [];
    default:
      return [`Workspace contains a resource with the invalid type: "${type ?? ''}"`];
  }
  function missing(name: string): readonly string[] {
    return directory.get(namespaces, { name }) ? [] : [`${subject} pointing to a namespace which does not exist: "${name}"`];
  }
}

function namespacesNamed(resources: readonly WorkspaceResource[]): ReadonlySet<string> {
  return new Set(
    resources.flatMap(({ id, type, namespace }) => (type === 'namespace' && id ? [id] : type === 'helm' && namespace ? [namespace] : [])),
  );
}

const specOf = (object: StoredObject) => workspaceSpec.safeParse(object.spec ?? {}).data ?? {};

function refsWhere(directory: Directory, ownNamespace: string, fits: (spec: ReturnType<typeof specOf>) => boolean) {
  return directory.list(workspaces, ownNamespace).flatMap((object) => (fits(specOf(object)) ? [object.metadata] : []));
}
