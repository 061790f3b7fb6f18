import { z } from 'zod';
import { ObjectNotFound } from '../../domain/errors.ts';
import { workspaces } from '../../domain/kinds.ts';
import { newWorkspace, updatedSpec, workspaceInfo, workspaceResource, workspaceSpec } from '../../domain/workspace/index.ts';
import { command, nothing, optional, query, required, text } from '../registry/index.ts';
import { aggregateOf, attributedTo, createObject, deleteObject, updateObject } from '../resources/index.ts';

const info = z.object({
  name: z.string(),
  creationTimestamp: z.string().nullable(),
  resources: z.array(workspaceResource).nullable(),
  dashboardRef: optional(),
});

const changed = z.object({ name: required(), displayName: optional(), resources: z.array(workspaceResource), dashboardRef: optional() });

const shared = { deadline: 30_000, audit: attributedTo(workspaces), aggregate: aggregateOf(workspaces) };

export const getWorkspaces = query({
  pattern: 'get/workspaces',
  request: nothing(),
  response: z.array(info),
  answer: (_, { directory, ownNamespace }) => directory.list(workspaces, ownNamespace).map(workspaceInfo),
});

export const getWorkspace = query({
  pattern: 'get/workspace',
  request: z.object({ name: required(), namespace: optional() }),
  response: info.nullable(),
  answer({ name, namespace }, { directory, ownNamespace }) {
    const object = directory.get(workspaces, { name, namespace: namespace || ownNamespace });
    if (object === undefined) throw ObjectNotFound({ kind: 'workspaces.mogenius.com', name });
    return workspaceInfo(object);
  },
});

export const createWorkspace = command({
  ...shared,
  pattern: 'create/workspace',
  request: changed,
  response: text('Resource created successfully'),
  handle: (request, context) => createObject(workspaces, newWorkspace(request, context.ownNamespace), context),
});

export const updateWorkspace = command({
  ...shared,
  pattern: 'update/workspace',
  request: changed,
  response: text('Resource updated successfully'),
  handle: (request, context) =>
    updateObject(
      workspaces,
      { name: request.name, namespace: context.ownNamespace },
      (current) => ({ ...current, spec: updatedSpec(workspaceSpec.parse(current.spec ?? {}), request) }),
      context,
    ),
});

export const deleteWorkspace = command({
  ...shared,
  pattern: 'delete/workspace',
  request: z.object({ name: required() }),
  response: text('Resource deleted successfully'),
  handle: ({ name }, context) => deleteObject(workspaces, { name, namespace: context.ownNamespace }, context),
});
