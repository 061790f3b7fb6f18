import { kindsOf } from '../kinds/definition.ts';
import { asList, asObject, asText, isObject, type JsonObject, texts, without } from '../model/json.ts';
import { isDefinition, isNamespace, type Kind, storeKeyOf } from '../model/kind.ts';
import { timestamp } from '../object/write.ts';
import type { Stored } from '../store/stored.ts';
import type { DeleteOptions, Deletion } from './deletion.ts';
import { Dependents } from './dependents.ts';
import type { Objects } from './objects.ts';
import type { World } from './world.ts';

const plain: DeleteOptions = { uid: '', resourceVersion: '', propagation: 'Background', dryRun: false };
const cleanup = 'customresourcecleanup.apiextensions.k8s.io';

/**
 * What follows a write without anybody asking: a definition serves its kind, a namespace takes its content along, dependents follow
 * their owner. Each is done soon after the answer, as controllers do it.
 */
export class Lifecycle {
  private readonly world: World;
  private readonly objects: Objects;
  private readonly deletion: Deletion;
  private readonly dependents: Dependents;
  /** What goes on when an object is gone: by the uid of the owner that waits for it, or by its kind. */
  private readonly waiting = new Map<string, () => void>();
  /** Told of a kind that is no longer served, so that its watches end. */
  unserved: (kind: Kind) => void = () => {};

  constructor(world: World, objects: Objects, deletion: Deletion) {
    this.world = world;
    this.objects = objects;
    this.deletion = deletion;
    this.dependents = new Dependents();
    world.changed = (kind, change) => this.follow(kind, change.type, change.object);
  }

  private follow(kind: Kind, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Stored): void {
    this.dependents.see(kind, type, object);
    const deleted = object.metadata.deletionTimestamp !== undefined;
    if (isDefinition(kind)) this.definition(kind, type, object, deleted);
    else if (isNamespace(kind) && type === 'MODIFIED' && deleted) this.world.later(() => this.emptyNamespace(kind, object));
    else if (type === 'DELETED' && kind.namespaced) this.releaseNamespace(asText(object.metadata.namespace));
    if (type === 'DELETED') {
      const uid = asText(object.metadata.uid);
      if (this.dependents.has(uid)) this.world.later(() => this.removeDependents(uid));
      for (const owner of asList(object.metadata.ownerReferences)) this.resume(asText(asObject(owner).uid));
      this.resume(storeKeyOf(kind));
    } else if (type === 'MODIFIED' && deleted) this.world.later(() => this.propagate(kind, object));
  }

  private definition(kind: Kind, type: string, object: Stored, deleted: boolean): void {
    if (type === 'DELETED') return;
    if (deleted) {
      if (texts(object.metadata.finalizers).includes(cleanup)) this.world.later(() => this.removeDefinition(kind, object));
      return;
    }
    const served = kindsOf(object);
    if (type === 'ADDED') {
      this.world.later(() => {
        const live = this.current(kind, object);
        if (!live) return;
        for (const each of served) this.world.store.shelf(storeKeyOf(each));
        this.objects.store(kind, { ...live, status: establishedStatus(live, timestamp(this.world.clock.now())) }, live);
        for (const each of served) this.world.registry.add(each);
      });
    } else if (asList(asObject(object.status).conditions).length > 0) {
      // A version that is no longer served goes, before the others are read anew.
      for (const each of served.slice(0, 1)) this.world.registry.remove(each.group, each.plural);
      for (const each of served) this.world.registry.add(each);
    }
  }

  private wait(key: string, work: () => void): void {
    this.waiting.set(key, work);
  }

  private resume(key: string): void {
    const work = this.waiting.get(key);
    if (!work) return;
    this.waiting.delete(key);
    this.world.later(work);
  }

  private current(kind: Kind, object: Stored): Stored | undefined {
    const key = `${asText(object.metadata.namespace)}/${asText(object.metadata.name)}`;
    const live = this.world.store.get(storeKeyOf(kind), key);
    return live?.metadata.uid === object.metadata.uid ? live : undefined;
  }

  private removeDefinition(kind: Kind, object: Stored): void {
    for (const served of kindsOf(object).slice(0, 1)) {
      this.removeAll(served, '');
      const shelf = storeKeyOf(served);
      if (this.world.store.shelf(shelf).objects.size > 0) {
        this.wait(shelf, () => this.removeDefinition(kind, object));
        return;
      }
      this.world.registry.remove(served.group, served.plural);
      this.unserved(served);
      this.world.store.removeShelf(shelf);
    }
    const live = this.current(kind, object);
    if (live) this.release(kind, live, cleanup);
  }

  private removeAll(kind: Kind, namespace: string): void {
    const { objects } = this.world.store.shelf(storeKeyOf(kind));
    for (const object of [...objects.values()]) {
      const own = asText(object.metadata.namespace);
      if (namespace === '' || own === namespace) this.deletion.remove(kind, own, asText(object.metadata.name), plain);
    }
  }

  private emptyNamespace(kind: Kind, object: Stored): void {
    const name = asText(object.metadata.name);
    for (const { kind: each } of this.world.registry.namespacedShelves()) this.removeAll(each, name);
    this.finishNamespace(kind, name);
  }

  private releaseNamespace(name: string): void {
    const live = this.world.store.get('/namespaces', `/${name}`);
    if (live?.metadata.deletionTimestamp === undefined) return;
    const kind = this.world.registry.find('v1', 'namespaces');
    if (kind) this.world.later(() => this.finishNamespace(kind, name));
  }

  /** Takes the namespace's own finalizer away once nothing is in it. */
  private finishNamespace(kind: Kind, name: string): void {
    const live = this.world.store.get('/namespaces', `/${name}`);
    if (live?.metadata.deletionTimestamp === undefined) return;
    const inside = (shelf: string) => [...this.world.store.shelf(shelf).objects.keys()].some((key) => key.startsWith(`${name}/`));
    if (this.world.registry.namespacedShelves().some(({ shelf }) => inside(shelf))) return;
    if (texts(live.metadata.finalizers).length > 0) {
      this.objects.store(kind, { ...live, spec: without(asObject(live.spec), 'finalizers') }, live);
    } else this.objects.drop(kind, live);
  }

  private release(kind: Kind, live: Stored, finalizer: string): void {
    const left = texts(live.metadata.finalizers).filter((each) => each !== finalizer);
    if (left.length === 0) this.objects.drop(kind, live);
    else this.objects.store(kind, { ...live, metadata: { ...live.metadata, finalizers: left } }, live);
  }

  /** The finalizers of propagation: dependents go first, or lose their owner. */
  private propagate(kind: Kind, object: Stored): void {
    const live = this.current(kind, object);
    if (!live) return;
    const uid = asText(live.metadata.uid);
    const held = texts(live.metadata.finalizers);
    if (held.includes('orphan')) {
      this.orphan(uid);
      this.release(kind, live, 'orphan');
    } else if (held.includes('foregroundDeletion')) {
      this.removeDependents(uid);
      if (this.dependents.has(uid)) this.wait(uid, () => this.propagate(kind, object));
      else this.release(kind, live, 'foregroundDeletion');
    }
  }

  private orphan(uid: string): void {
    for (const { kind, namespace, name } of this.dependents.of(uid)) {
      const live = this.world.store.get(storeKeyOf(kind), `${namespace}/${name}`);
      if (!live) continue;
      const ownerReferences = asList(live.metadata.ownerReferences).filter((owner) => isObject(owner) && owner.uid !== uid);
      const metadata: JsonObject = {
        ...without(live.metadata, 'ownerReferences'),
        ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
      };
      this.objects.store(kind, { ...live, metadata }, live);
    }
  }

  private removeDependents(uid: string): void {
    for (const { kind, namespace, name } of this.dependents.of(uid)) {
      if (this.world.store.get(storeKeyOf(kind), `${namespace}/${name}`)) this.deletion.remove(kind, namespace, name, plain);
    }
  }
}

function establishedStatus(object: JsonObject, time: string): JsonObject {
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime: time,
    reason,
    message,
  });
  const versions = asList(asObject(object.spec).versions).filter(isObject);
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: asObject(asObject(object.spec).names),
    storedVersions: versions.filter((version) => version.storage === true).map((version) => asText(version.name)),
  };
}
