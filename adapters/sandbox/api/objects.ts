import { completeDefinition } from '../kinds/definition.ts';
import { asObject, asText, isObject, type Json, type JsonObject, texts, without } from '../model/json.ts';
import { apiVersionOf, isDefinition, isNamespace, type Kind, storeKeyOf } from '../model/kind.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  invalidValue,
  notFound,
  outdated,
  Refusal,
  requiredValue,
} from '../model/status.ts';
import { defaults } from '../object/built-in.ts';
import { refuseInvalid } from '../object/check.ts';
import { conform, decode } from '../object/decode.ts';
import { afterApply, printManagers, readManagers, type Writer } from '../object/managers.ts';
import {
  generatedName,
  keepIdentity,
  managed,
  managedByApply,
  newUid,
  nextGeneration,
  onlyItsPart,
  refuseLarge,
  sameContent,
  sameOwners,
  timestamp,
} from '../object/write.ts';
import { type Applied, apply } from '../patch/apply.ts';
import { print, type Stored } from '../store/stored.ts';
import type { World } from './world.ts';

export interface How {
  readonly dryRun: boolean;
  /** Field manager: named, or the first part of the user agent. */
  readonly manager: string;
  readonly subresource: '' | 'status';
  /** Length of the request's body. */
  readonly bytes: number;
  readonly validation: 'Strict' | 'Warn' | 'Ignore';
  /** Told what was dropped, for the warning header. */
  readonly warn: (text: string) => void;
}

const keyFor = (namespace: string, name: string): string => `${namespace}/${name}`;
const complete = (kind: Kind, object: JsonObject): JsonObject => {
  if (kind.custom) return object;
  return isDefinition(kind) ? completeDefinition(object) : defaults(kind, object);
};

/** Reads and writes of single objects, as the API server does them. All of it is synchronous: a call is one transaction. */
export class Objects {
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  get(kind: Kind, namespace: string, name: string): Stored {
    const found = this.world.store.get(storeKeyOf(kind), keyFor(namespace, name));
    if (!found) throw notFound(kind, name);
    return inVersion(kind, found);
  }

  create(kind: Kind, namespace: string, body: Json, how: How): Stored {
    const { object } = this.conformed(kind, decode(kind, body), how);
    const metadata = this.identity(kind, namespace, object.metadata);
    const refusing =
      asText(object.metadata.resourceVersion) !== ''
        ? new Refusal(500, '', 'resourceVersion should not be set on objects to be created')
        : undefined;
    const stripped = kind.status ? without(object, 'status') : object;
    const whole = complete(kind, { ...stripped, metadata });
    refuseInvalid(kind, whole);
    if (refusing) throw refusing;
    return this.insert(kind, namespace, whole, how, (next, writer) => managed(kind, next, undefined, writer));
  }

  private insert(
    kind: Kind,
    namespace: string,
    whole: JsonObject,
    how: How,
    owners: (next: JsonObject, writer: Writer) => JsonObject[],
  ): Stored {
    const metadata = asObject(whole.metadata);
    const key = keyFor(namespace, asText(metadata.name));
    if (this.world.store.get(storeKeyOf(kind), key)) throw alreadyExists(kind, asText(metadata.name));
    const managedFields = owners(whole, this.writer(how, 'Update'));
    const make = (revision: string): Stored => ({
      ...whole,
      metadata: {
        ...metadata,
        ...(revision === '' ? {} : { resourceVersion: revision }),
        ...(managedFields.length === 0 ? {} : { managedFields }),
      },
    });
    if (how.dryRun) return make('');
    refuseLarge(whole, how.bytes);
    const stored = this.world.store.put(storeKeyOf(kind), key, (revision) => make(String(revision)));
    this.world.changed(kind, { type: 'ADDED', object: stored });
    return stored;
  }

  private conformed(kind: Kind, given: JsonObject, how: How) {
    const { object, dropped } = conform(kind, given);
    if (dropped.length > 0 && how.validation === 'Strict') {
      const fields = dropped.map((field) => `unknown field ${JSON.stringify(field)}`).join(', ');
      throw badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: strict decoding error: ${fields}`);
    }
    if (how.validation === 'Warn') for (const field of dropped) how.warn(`unknown field ${JSON.stringify(field)}`);
    return { object };
  }

  /** Name, namespace, uid and time of a new object. */
  private identity(kind: Kind, namespace: string, given: JsonObject): JsonObject {
    const own = asText(given.namespace);
    if (own !== '' && own !== namespace) {
      throw badRequest(
        kind.namespaced
          ? 'the namespace of the provided object does not match the namespace sent on the request'
          : 'namespace not allowed on this type',
      );
    }
    const { random } = this.world.clock;
    const prefix = asText(given.generateName);
    const name = asText(given.name) || (prefix === '' ? '' : generatedName(prefix, random));
    if (kind.namespaced) this.refuseNamespace(kind, namespace, name);
    if (name === '') throw invalid(kind, '', [requiredValue('metadata.name', 'name or generateName is required')]);
    const { labels, annotations, ownerReferences, finalizers, managedFields } = given;
    const rest = { labels, annotations, ownerReferences, finalizers, managedFields };
    return {
      name,
      ...(prefix === '' ? {} : { generateName: prefix }),
      ...(kind.namespaced ? { namespace } : {}),
      uid: newUid(random),
      ...(kind.generation ? { generation: 1 } : {}),
      creationTimestamp: timestamp(this.world.clock.now()),
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    };
  }

  private refuseNamespace(kind: Kind, namespace: string, name: string): void {
    const found = this.world.store.get('/namespaces', keyFor('', namespace));
    if (!found) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace);
    if (found.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(kind, name, why, [
      { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
    ]);
  }

  replace(kind: Kind, namespace: string, name: string, body: Json, how: How): Stored {
    const given = decode(kind, body);
    const own = asText(asObject(given.metadata).name);
    if (own !== '' && own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
    const ownNamespace = asText(asObject(given.metadata).namespace);
    if (kind.namespaced && ownNamespace !== '' && ownNamespace !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    const live = this.get(kind, namespace, name);
    if (kind.conditionalUpdates && asText(asObject(given.metadata).resourceVersion) === '') {
      const named = { group: kind.group, kind: kind.plural };
      throw invalid(named, name, [invalidValue('metadata.resourceVersion', '0', 'must be specified for an update')]);
    }
    return this.update(kind, live, given, how);
  }

  /** `change` makes the new object of the stored one. */
  patch(kind: Kind, namespace: string, name: string, change: (live: JsonObject) => Json, how: How): Stored {
    const live = this.get(kind, namespace, name);
    const next = change(live);
    if (!isObject(next)) throw badRequest('the patch does not leave an object');
    const given = decode(kind, next);
    const own = asText(asObject(given.metadata).name);
    if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
    return this.update(kind, live, given, how);
  }

  /** Server-side apply. Makes the object when there is none. */
  apply(
    kind: Kind,
    namespace: string,
    name: string,
    body: Json,
    how: How,
    force: boolean,
  ): { readonly object: Stored; readonly created: boolean } {
    const config = decode(kind, body);
    const own = asText(asObject(config.metadata).name);
    if (own !== '' && own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
    if (asObject(config.metadata).managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
    const writer = this.writer(how, 'Apply');
    const live = this.world.store.get(storeKeyOf(kind), keyFor(namespace, name));
    if (!live) {
      if (how.subresource !== '') throw notFound(kind, name);
      return { object: this.applyNew(kind, namespace, name, config, how, writer), created: true };
    }
    const current = inVersion(kind, live);
    const managers = readManagers(current.metadata.managedFields);
    const applied = apply(current, config, { kind, managers, writer, force });
    return { object: this.update(kind, current, decode(kind, applied.object), how, { applied, writer }), created: false };
  }

  private applyNew(kind: Kind, namespace: string, name: string, config: JsonObject, how: How, writer: Writer): Stored {
    const uid = asText(asObject(config.metadata).uid);
    if (uid !== '') throw conflict(kind, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
    const { object } = this.conformed(kind, { ...config, metadata: { ...asObject(config.metadata), name } }, how);
    const metadata = this.identity(kind, namespace, object.metadata);
    const whole = complete(kind, { ...(kind.status ? without(object, 'status') : object), metadata });
    refuseInvalid(kind, whole);
    const { named } = apply({}, kind.status ? without(config, 'status') : config, { kind, managers: [], writer, force: true });
    return this.insert(kind, namespace, whole, how, () => printManagers(afterApply([], kind, writer, named, named)));
  }

  private update(
    kind: Kind,
    live: Stored,
    given: JsonObject,
    how: How,
    by?: { readonly applied: Applied; readonly writer: Writer },
  ): Stored {
    const name = asText(live.metadata.name);
    const sent = asObject(given.metadata);
    const uid = asText(sent.uid);
    if (uid !== '' && uid !== live.metadata.uid) throw this.otherUid(kind, live, uid);
    const version = asText(sent.resourceVersion);
    if (version !== '' && version !== live.metadata.resourceVersion) throw outdated(kind, name);
    const { object } = this.conformed(kind, given, how);
    const asked = complete(kind, { ...object, metadata: keepIdentity(object.metadata, live.metadata) });
    const next = onlyItsPart(kind, asked, live, how.subresource);
    refuseInvalid(kind, next, live);
    const still = sameContent(next, live);
    // Who only comes to own what is there already is recorded without a time: the server does so, as nothing was written.
    const writer = (each: Writer): Writer => (still ? { ...each, time: '' } : each);
    const managers = by
      ? managedByApply(kind, next, live, writer(by.writer), by.applied.named)
      : managed(kind, next, live, writer(this.writer(how, 'Update')));
    const generation = nextGeneration(kind, next, live);
    const metadata: JsonObject = {
      ...without(asObject(next.metadata), 'managedFields'),
      ...(generation === undefined ? {} : { generation }),
    };
    if (managers.length > 0) metadata.managedFields = managers;
    const whole: Stored = { ...next, metadata };
    if (metadata.deletionTimestamp !== undefined && texts(metadata.finalizers).length === 0 && !stillHeld(kind, whole)) {
      if (!how.dryRun) this.drop(kind, live);
      return whole;
    }
    if (still && sameOwners(whole, live)) return live;
    if (how.dryRun) return whole;
    refuseLarge(whole, how.bytes + print(live).length);
    return this.store(kind, whole, live);
  }

  /** Puts an object that was made here: no checks. */
  store(kind: Kind, whole: JsonObject, before: Stored): Stored {
    const metadata = asObject(whole.metadata);
    const key = keyFor(asText(metadata.namespace), asText(metadata.name));
    const object = this.world.store.put(storeKeyOf(kind), key, (revision) => ({
      ...whole,
      metadata: { ...metadata, resourceVersion: String(revision) },
    }));
    this.world.changed(kind, { type: 'MODIFIED', object, before });
    return object;
  }

  drop(kind: Kind, live: Stored): void {
    const key = keyFor(asText(live.metadata.namespace), asText(live.metadata.name));
    const gone = this.world.store.drop(storeKeyOf(kind), key, (revision, last) => ({
      ...last,
      metadata: { ...last.metadata, resourceVersion: String(revision) },
    }));
    if (gone) this.world.changed(kind, { type: 'DELETED', object: gone, before: live });
  }

  private otherUid(kind: Kind, live: Stored, uid: string): Refusal {
    const name = asText(live.metadata.name);
    const key = `/registry/${kind.custom ? `${kind.group}/` : ''}${kind.plural}/${kind.namespaced ? `${live.metadata.namespace}/` : ''}${name}`;
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
    return conflict(kind, name, `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`);
  }

  writer(how: How, operation: 'Apply' | 'Update'): Writer {
    return { manager: how.manager, operation, subresource: how.subresource, time: timestamp(this.world.clock.now()) };
  }
}

/** A namespace goes only when its own finalizer is gone too. */
const stillHeld = (kind: Kind, object: JsonObject): boolean => isNamespace(kind) && texts(asObject(object.spec).finalizers).length > 0;

/** A stored object as a version of its kind shows it. */
export const inVersion = (kind: Kind, object: Stored): Stored => {
  const apiVersion = apiVersionOf(kind);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
};
