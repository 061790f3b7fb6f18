import { ClusterRefused, ObjectNotFound } from '../../domain/errors.ts';
import { gone, seen } from '../../domain/object/index.ts';
import { commandAnnotation, type KubernetesObject, type ResourceKind, type StoredObject } from '../../domain/ports/index.ts';
import type { CommandContext, Effect } from '../registry/index.ts';

const created = 'Resource created successfully';
const updated = 'Resource updated successfully';
const deleted = 'Resource deleted successfully';

/** How often a replacement is read and tried anew when somebody else changed the object in between. */
const conflictTries = 5;

/** Creates an object under the command's id. Finding the object of an earlier try is success: its annotation tells. */
export async function createObject(kind: ResourceKind, object: KubernetesObject, context: CommandContext): Promise<Effect<string>> {
  const { cluster, command, signal } = context;
  const make = async () => {
    try {
      return await cluster.create(kind, object, { command: command.id, signal });
    } catch (error) {
      if (!ClusterRefused.is(error) || error.data.reason !== 'AlreadyExists') throw refusal(error);
      const found = await cluster.get(kind, object.metadata, { signal });
      if (found?.metadata.annotations?.[commandAnnotation] !== command.id) throw refusal(error);
      return found;
    }
  };
  const after = await make();
  return { result: created, after, observations: [sighting('ObjectAppeared', kind, after, context)] };
}

/** Reads the object live and replaces what `change` makes of it, so that nothing another writer stored in between is lost. */
export async function updateObject(
  kind: ResourceKind,
  ref: { readonly name: string; readonly namespace?: string },
  change: (current: StoredObject) => KubernetesObject,
  context: CommandContext,
): Promise<Effect<string>> {
  const { cluster, command, signal } = context;
  for (let tries = 1; ; tries++) {
    const before = await found(kind, ref, context);
    // An earlier try got through and its answer was lost.
    if (before.metadata.annotations?.[commandAnnotation] === command.id)
      return { result: updated, after: before, observations: [sighting('ObjectChanged', kind, before, context)] };
    try {
      const after = await cluster.replace(kind, change(before), { command: command.id, signal });
      return { result: updated, before, after, observations: [sighting('ObjectChanged', kind, after, context)] };
    } catch (error) {
      if (!ClusterRefused.is(error) || error.data.reason !== 'Conflict' || tries === conflictTries) throw refusal(error);
    }
  }
}

/**
 * Deletes the object that was there when the command was first tried, and no other: its uid is recorded before, the delete carries it as
 * precondition, and "gone" or "another uid" on a later try means done.
 */
export async function deleteObject(
  kind: ResourceKind,
  ref: { readonly name: string; readonly namespace?: string },
  context: CommandContext,
): Promise<Effect<string>> {
  const { cluster, command, signal, clock } = context;
  const recorded = context.recorded('target')?.uid;
  const current = await cluster.get(kind, ref, { signal });
  if (typeof recorded === 'string' && current?.metadata.uid !== recorded) return { result: deleted };
  if (current === undefined) throw notFound(kind, ref);
  if (recorded === undefined)
    await context.record('target', { uid: current.metadata.uid, resourceVersion: current.metadata.resourceVersion });
  try {
    const left = await cluster.delete(kind, ref, { command: command.id, signal, uid: current.metadata.uid });
    const observation =
      left?.metadata.deletionTimestamp === undefined
        ? gone({ kind, object: current, time: iso(clock.now()), command: command.id })
        : sighting('ObjectChanged', kind, left, context);
    return { result: deleted, before: current, observations: [observation] };
  } catch (error) {
    // Somebody else was faster; the object we were to delete is gone.
    if (ClusterRefused.is(error) && (error.data.reason === 'NotFound' || error.data.reason === 'Conflict'))
      return { result: deleted, before: current };
    throw refusal(error);
  }
}

async function found(
  kind: ResourceKind,
  ref: { readonly name: string; readonly namespace?: string },
  { cluster, signal }: CommandContext,
): Promise<StoredObject> {
  const object = await cluster.get(kind, ref, { signal });
  if (object === undefined) throw notFound(kind, ref);
  return object;
}

/** The prefix that clients of the wire know from refusals about our own kinds. */
const prefix = 'RESTClient: ';

const notFound = (kind: ResourceKind, { name }: { readonly name: string }) =>
  ObjectNotFound({ kind: `${prefix}${kind.plural}.${kind.group}`, name });

function refusal(error: unknown): unknown {
  if (!ClusterRefused.is(error) || error.message.startsWith(prefix)) return error;
  return ClusterRefused({ ...error.data, message: `${prefix}${error.data.message}` }, error);
}

function sighting(type: 'ObjectAppeared' | 'ObjectChanged', kind: ResourceKind, object: StoredObject, { clock, command }: CommandContext) {
  return seen(type, { kind, object, time: iso(clock.now()), command: command.id });
}

const iso = (ms: number): string => new Date(ms).toISOString();
