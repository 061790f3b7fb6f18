import { z } from 'zod';
import { ObjectNotFound } from '../../domain/errors.ts';
import { users } from '../../domain/kinds.ts';
import { newUser, subject, updatedSpec, userSpec } from '../../domain/user/index.ts';
import { command, optional, query, required, text } from '../registry/index.ts';
import { aggregateOf, attributedTo, createObject, customResource, deleteObject, toWire, updateObject } from '../resources/index.ts';

const fields = { firstName: optional(), lastName: optional(), email: optional(), subject: subject.optional() };

const shared = { deadline: 30_000, audit: attributedTo(users), aggregate: aggregateOf(users) };

export const getUsers = query({
  pattern: 'get/users',
  request: z.object({ email: optional() }),
  response: z.array(customResource),
  answer: ({ email }, { directory, ownNamespace }) =>
    directory
      .list(users, ownNamespace)
      .filter((object) => email === undefined || (userSpec.safeParse(object.spec ?? {}).data?.email ?? '') === email)
      .map((object) => toWire(users, object)),
});

export const getUser = query({
  pattern: 'get/user',
  request: z.object({ name: required() }),
  response: customResource.nullable(),
  answer({ name }, { directory, ownNamespace }) {
    const object = directory.get(users, { name, namespace: ownNamespace });
    if (object === undefined) throw ObjectNotFound({ kind: 'users.mogenius.com', name });
    return toWire(users, object);
  },
});

export const createUser = command({
  ...shared,
  pattern: 'create/user',
  // The name is checked by the API server, as clients know it.
  request: z.object({ name: optional(), ...fields }),
  response: text('Resource created successfully'),
  handle: ({ name = '', ...request }, context) => createObject(users, newUser({ name, ...request }, context.ownNamespace), context),
});

export const updateUser = command({
  ...shared,
  pattern: 'update/user',
  request: z.object({ name: required(), ...fields }),
  response: text('Resource updated successfully'),
  handle: (request, context) =>
    updateObject(
      users,
      { name: request.name, namespace: context.ownNamespace },
      (current) => ({ ...current, spec: updatedSpec(userSpec.parse(current.spec ?? {}), request) }),
      context,
    ),
});

export const deleteUser = command({
  ...shared,
  pattern: 'delete/user',
  request: z.object({ name: required() }),
  response: text('Resource deleted successfully'),
  handle: ({ name }, context) => deleteObject(users, { name, namespace: context.ownNamespace }, context),
});
