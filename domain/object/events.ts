import { z } from 'zod';
import type { NewEvent, StreamName } from '../event/index.ts';
import { apiVersionOf, commandAnnotation, type Observation, type ResourceKind, type StoredObject } from '../ports/index.ts';

const identity = {
  apiVersion: z.string(),
  kind: z.string(),
  plural: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
};

/** Schema 1 of `ObjectAppeared` and `ObjectChanged`: the whole object, without managedFields. */
export const objectSeen = z.object({ ...identity, object: z.record(z.string(), z.unknown()) });
export type ObjectSeen = z.infer<typeof objectSeen>;

/** Schema 1 of `ObjectVanished`. `resourceVersion` is the last one known when the server told none. */
export const objectVanished = z.object(identity);
export type ObjectVanished = z.infer<typeof objectVanished>;

/** The stream of one object, by name: a new object under the same name continues it with another uid. */
export function objectStream(kind: ResourceKind, ref: { readonly namespace?: string; readonly name: string }): StreamName {
  return `object/${kind.group || 'core'}/${kind.plural}/${ref.namespace ?? '_'}/${ref.name}`;
}

type Sighting = { readonly kind: ResourceKind; readonly object: StoredObject; readonly time: string; readonly command?: string };

/** What to record of an object that is there. `command` is the one whose write made it so. */
export function seen(type: 'ObjectAppeared' | 'ObjectChanged', { kind, object, time, command }: Sighting): Observation {
  const data: ObjectSeen = { ...identityOf(kind, object), object: withoutManagedFields(object) };
  return observation(kind, object, { type, schema: 1, time, data, ...chained(command) }, false);
}

/** What to record of an object that is gone. `resourceVersion` is the version of the deletion, where the server told it. */
export function gone({ kind, object, time, command, resourceVersion }: Sighting & { readonly resourceVersion?: string }): Observation {
  const data: ObjectVanished = { ...identityOf(kind, object), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return observation(kind, object, { type: 'ObjectVanished', schema: 1, time, data, ...chained(command) }, true);
}

function observation(kind: ResourceKind, object: StoredObject, event: NewEvent<string, ObjectVanished>, isGone: boolean): Observation {
  return {
    stream: objectStream(kind, object.metadata),
    uid: object.metadata.uid,
    resourceVersion: event.data.resourceVersion,
    gone: isGone,
    event,
  };
}

function identityOf(kind: ResourceKind, { metadata }: StoredObject): ObjectVanished {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    plural: kind.plural,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
  };
}

/**
 * The command whose write this state is, when an annotation tells: it is the one in the annotation, unless that stood there before. An annotation
 * outlives the write it came with, so a later change by somebody else carries it too.
 */
export function commandOf(object: StoredObject, before?: StoredObject): string | undefined {
  const named = object.metadata.annotations?.[commandAnnotation];
  return named === before?.metadata.annotations?.[commandAnnotation] ? undefined : named;
}

const chained = (command: string | undefined): Pick<NewEvent, 'commandid' | 'correlationid'> =>
  command === undefined ? {} : { commandid: command, correlationid: command };

function withoutManagedFields(object: StoredObject): Record<string, unknown> {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Schema 1 of `KindListed`: every object of a kind that was there has been recorded. From then on absence means something. */
export const kindListed = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  plural: z.string(),
  namespace: z.string().optional(),
  objects: z.number(),
});
export type KindListed = z.infer<typeof kindListed>;

export const objectEvents = {
  ObjectAppeared: objectSeen,
  ObjectChanged: objectSeen,
  ObjectVanished: objectVanished,
  KindListed: kindListed,
} as const;
