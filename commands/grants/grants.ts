import { z } from 'zod';
import { ObjectNotFound } from '../../domain/errors.ts';
import { grantSpec, newGrant, updatedSpec } from '../../domain/grant/index.ts';
import { grants } from '../../domain/kinds.ts';
import { command, optional, query, required, text } from '../registry/index.ts';
import { aggregateOf, attributedTo, createObject, customResource, deleteObject, toWire, updateObject } from '../resources/index.ts';

const changed = z.object({ name: required(), grantee: required(), targetType: required(), targetName: required(), role: required() });

const shared = { deadline: 30_000, audit: attributedTo(grants), aggregate: aggregateOf(grants) };

export const getGrants = query({
  pattern: 'get/grants',
  request: z.object({ targetType: optional(), targetName: optional() }),
  response: z.array(customResource),
  answer({ targetType, targetName }, { directory, ownNamespace }) {
    const all = directory.list(grants, ownNamespace);
    // One of the two alone filters nothing: clients rely on it.
    if (targetType === undefined || targetName === undefined) return all.map((object) => toWire(grants, object));
    return all
      .filter((object) => {
        const spec = grantSpec.safeParse(object.spec ?? {}).data;
        return (spec?.targetType ?? '') === targetType && (spec?.targetName ?? '') === targetName;
      })
      .map((object) => toWire(grants, object));
  },
});

export const getGrant = query({
  pattern: 'get/grant',
  request: z.object({ name: required() }),
  response: customResource.nullable(),
  answer({ name }, { directory, ownNamespace }) {
    const object = directory.get(grants, { name, namespace: ownNamespace });
    if (object === undefined) throw ObjectNotFound({ kind: 'grants.mogenius.com', name });
    return toWire(grants, object);
  },
});

export const createGrant = command({
  ...shared,
  pattern: 'create/grant',
  request: changed,
  response: text('Resource created successfully'),
  handle: (request, context) => createObject(grants, newGrant(request, context.ownNamespace), context),
});

export const updateGrant = command({
  ...shared,
  pattern: 'update/grant',
  request: changed,
  response: text('Resource updated successfully'),
  handle: (request, context) =>
    updateObject(
      grants,
      { name: request.name, namespace: context.ownNamespace },
      (current) => ({ ...current, spec: updatedSpec(grantSpec.parse(current.spec ?? {}), request) }),
      context,
    ),
});

export const deleteGrant = command({
  ...shared,
  pattern: 'delete/grant',
  request: z.object({ name: required() }),
  response: text('Resource deleted successfully'),
  handle: ({ name }, context) => deleteObject(grants, { name, namespace: context.ownNamespace }, context),
});
