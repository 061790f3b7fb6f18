import { z } from 'zod';
import type { KubernetesObject } from '../ports/index.ts';

export const workspaceResource = z.object({ id: z.string().optional(), type: z.string().optional(), namespace: z.string().optional() });
export type WorkspaceResource = z.infer<typeof workspaceResource>;

/** Spec of a Workspace as it stands in the cluster. `name` is the display name. */
export const workspaceSpec = z.looseObject({
  name: z.string().optional(),
  resources: z.array(workspaceResource).nullish(),
  dashboardRef: z.string().optional(),
});
export type WorkspaceSpec = z.infer<typeof workspaceSpec>;

export interface WorkspaceRequest {
  readonly name: string;
  readonly displayName?: string;
  readonly resources: readonly WorkspaceResource[];
  readonly dashboardRef?: string;
}

/** The object a request for a new workspace asks for. */
export function newWorkspace(request: WorkspaceRequest, namespace: string): KubernetesObject {
  return {
    apiVersion: 'mogenius.com/v1alpha1',
    kind: 'Workspace',
    metadata: { name: request.name, namespace },
    spec: {
      ...(request.displayName === undefined ? {} : { name: request.displayName }),
      resources: request.resources,
      ...(request.dashboardRef === undefined ? {} : { dashboardRef: request.dashboardRef }),
    },
  };
}

/** The spec after an update: what is absent is kept, `""` clears, `resources` replaces the list. */
export function updatedSpec(current: WorkspaceSpec, request: WorkspaceRequest): WorkspaceSpec {
  return {
    ...current,
    ...(request.displayName === undefined ? {} : { name: request.displayName }),
    resources: [...request.resources],
    ...(request.dashboardRef === undefined ? {} : { dashboardRef: request.dashboardRef }),
  };
}

/** A workspace as `get/workspace` answers it: resources are null when the object has none, an empty dashboardRef is left out. */
export function workspaceInfo(object: KubernetesObject): {
  name: string;
  creationTimestamp: string | null;
  resources: WorkspaceResource[] | null;
  dashboardRef?: string;
} {
  const spec = workspaceSpec.safeParse(object.spec ?? {}).data ?? {};
  return {
    name: object.metadata.name,
    creationTimestamp: object.metadata.creationTimestamp ?? null,
    resources: spec.resources ?? null,
    ...(spec.dashboardRef ? { dashboardRef: spec.dashboardRef } : {}),
  };
}

/** Namespaces whose audit entries a workspace shows: its resources of type `namespace`. */
export function namespacesOf(object: KubernetesObject): readonly string[] {
  const { resources } = workspaceInfo(object);
  return (resources ?? []).flatMap(({ type, id }) => (type === 'namespace' && id ? [id] : []));
}
