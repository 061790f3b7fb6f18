import { asObject, asText, isObject, type Json, type JsonObject, texts } from '../model/json.ts';
import { isDefinition, isNamespace, type Kind } from '../model/kind.ts';
import { badRequest, conflict, invalid, unsupportedValue } from '../model/status.ts';
import { timestamp } from '../object/write.ts';
import type { Stored } from '../store/stored.ts';
import type { Objects } from './objects.ts';
import type { World } from './world.ts';

export interface DeleteOptions {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly propagation: '' | 'Foreground' | 'Background' | 'Orphan';
  readonly dryRun: boolean;
}

/** From the body and the query of a DELETE; the body wins. */
export function readDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  const options = isObject(body) ? body : {};
  if (isObject(body) && asText(body.kind) !== '' && body.kind !== 'DeleteOptions') {
    throw badRequest(`decoded object cannot be converted to DeleteOptions`);
  }
  const preconditions = asObject(options.preconditions);
  const propagation = asText(options.propagationPolicy) || (query.get('propagationPolicy') ?? '');
  if (propagation !== '' && propagation !== 'Foreground' && propagation !== 'Background' && propagation !== 'Orphan') {
    const supported = ['Foreground', 'Background', 'Orphan', 'nil'];
    throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
      unsupportedValue('propagationPolicy', JSON.stringify(propagation), supported),
    ]);
  }
  const dryRun = [...texts(options.dryRun), ...query.getAll('dryRun')].includes('All');
  return { uid: asText(preconditions.uid), resourceVersion: asText(preconditions.resourceVersion), propagation, dryRun };
}

/** Deletes, or marks an object that has finalizers. */
export class Deletion {
  private readonly world: World;
  private readonly objects: Objects;

  constructor(world: World, objects: Objects) {
    this.world = world;
    this.objects = objects;
  }

  /** The object that is still there, marked; or the last state of the one that is gone. */
  remove(kind: Kind, namespace: string, name: string, options: DeleteOptions): { readonly object: Stored; readonly gone: boolean } {
    const live = this.objects.get(kind, namespace, name);
    this.refuse(kind, live, options);
    const marked = this.mark(kind, live, options);
    if (marked === undefined) {
      if (!options.dryRun) this.objects.drop(kind, live);
      return { object: live, gone: true };
    }
    if (options.dryRun || marked === live) return { object: marked, gone: false };
    return { object: this.objects.store(kind, marked, live), gone: false };
  }

  private refuse(kind: Kind, live: Stored, options: DeleteOptions): void {
    const name = asText(live.metadata.name);
    const named = { group: kind.group, plural: kind.kind, kind: kind.kind };
    const differs = (what: string, wanted: string, is: Json | undefined, why: string) =>
      conflict(
        named,
        name,
        `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${is}). The object might have been ${why}`,
      );
    if (options.uid !== '' && options.uid !== live.metadata.uid)
      throw differs('UID', options.uid, live.metadata.uid, 'deleted and then recreated');
    if (options.resourceVersion !== '' && options.resourceVersion !== live.metadata.resourceVersion) {
      throw differs('ResourceVersion', options.resourceVersion, live.metadata.resourceVersion, 'modified');
    }
  }

  /** Undefined when nothing holds the object. */
  private mark(kind: Kind, live: Stored, options: DeleteOptions): Stored | undefined {
    const held = new Set(texts(live.metadata.finalizers));
    if (options.propagation === 'Foreground') held.add('foregroundDeletion');
    if (options.propagation === 'Orphan') held.add('orphan');
    const namespace = isNamespace(kind);
    if (isDefinition(kind)) held.add('customresourcecleanup.apiextensions.k8s.io');
    if (held.size === 0 && !namespace) return undefined;
    if (live.metadata.deletionTimestamp !== undefined) return live;
    const { generation } = live.metadata;
    const metadata: JsonObject = {
      ...live.metadata,
      ...(typeof generation === 'number' && generation > 0 ? { generation: generation + 1 } : {}),
      deletionTimestamp: timestamp(this.world.clock.now()),
      ...(namespace ? {} : { deletionGracePeriodSeconds: 0 }),
      ...(held.size === 0 ? {} : { finalizers: [...held] }),
    };
    return { ...live, metadata, ...(namespace ? { status: { ...asObject(live.status), phase: 'Terminating' } } : {}) };
  }
}
