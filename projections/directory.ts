import { z } from 'zod';
import type { KindListed, ObjectSeen, ObjectVanished } from '../domain/object/index.ts';
import type { Directory, ProjectionAdmin, ResourceKind, StoredObject } from '../domain/ports/index.ts';
import { residentView } from './resident.ts';

export const directoryName = 'directory';

/** Objects kept. A further one is an error of its event: skipped, counted and listed, and those that are there still change. */
const most = 50_000;

interface Kind {
  /** `<namespace>/<name>` -> object */
  readonly objects: Map<string, StoredObject>;
  /** Namespaces of which a whole list was seen; `` for all of them. */
  readonly complete: Set<string>;
  /** Sorted, made when it is asked for and thrown away by the next change. */
  sorted: readonly StoredObject[] | undefined;
}

interface State {
  /** `<group>/<plural>` -> objects */
  readonly kinds: Map<string, Kind>;
  size: number;
}

const keyOf = (group: string, plural: string): string => `${group}/${plural}`;
const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '');
const nameOf = ({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): string =>
  `${namespace ?? ''}/${name}`;

function kindOf(state: State, key: string): Kind {
  const found = state.kinds.get(key) ?? { objects: new Map(), complete: new Set(), sorted: undefined };
  state.kinds.set(key, found);
  return found;
}

/** Objects of the kinds we watch, as the log has them. */
export function directoryView() {
  return residentView<State>({
    name: directoryName,
    version: 1,
    initial: () => ({ kinds: new Map(), size: 0 }),
    on: {
      ObjectAppeared: (state, { data }) => see(state, data),
      ObjectChanged: (state, { data }) => see(state, data),
      ObjectVanished: (state, { data }) => lose(state, data),
      KindListed: (state, { data }) => list(state, data),
    },
    *save({ kinds }) {
      for (const key of [...kinds.keys()].sort()) {
        const { objects, complete } = kindOf({ kinds, size: 0 }, key);
        yield JSON.stringify([key, [...complete].sort()]);
        for (const name of [...objects.keys()].sort()) yield JSON.stringify([key, objects.get(name)]);
      }
    },
    load(state, lines) {
      for (const line of lines) {
        const [key, value] = savedLine.parse(JSON.parse(line));
        const kind = kindOf(state, key);
        if (Array.isArray(value)) for (const namespace of value) kind.complete.add(namespace);
        else if (isStored(value)) {
          kind.objects.set(nameOf(value.metadata), value);
          state.size += 1;
        }
      }
    },
  });
}

const savedLine = z.tuple([z.string(), z.union([z.array(z.string()), z.record(z.string(), z.unknown())])]);

function see(state: State, { apiVersion, plural, uid, resourceVersion, object, ...ref }: ObjectSeen): void {
  if (!isStored(object)) throw new TypeError(`${plural} ${nameOf(ref)} has no identity`);
  const kind = kindOf(state, keyOf(groupOf(apiVersion), plural));
  const before = kind.objects.get(nameOf(ref));
  if (before?.metadata.uid === uid && newer(before.metadata.resourceVersion, resourceVersion)) return;
  if (!before) {
    if (state.size >= most) throw new RangeError(`the directory is full: it holds ${most} objects`);
    state.size += 1;
  }
  kind.objects.set(nameOf(ref), object);
  kind.sorted = undefined;
}

function lose(state: State, { apiVersion, plural, uid, ...ref }: ObjectVanished): void {
  const kind = kindOf(state, keyOf(groupOf(apiVersion), plural));
  // Another object may bear the name by now.
  if (kind.objects.get(nameOf(ref))?.metadata.uid !== uid) return;
  kind.objects.delete(nameOf(ref));
  kind.sorted = undefined;
  state.size -= 1;
}

function list(state: State, { apiVersion, plural, namespace = '' }: KindListed): void {
  kindOf(state, keyOf(groupOf(apiVersion), plural)).complete.add(namespace);
}

/** Whole numbers, maybe longer than a double is exact. */
const newer = (a: string, b: string): boolean => (a.length === b.length ? a > b : a.length > b.length);

function isStored(object: Readonly<Record<string, unknown>>): object is StoredObject {
  const { apiVersion, kind, metadata } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof metadata !== 'object' || metadata === null) return false;
  const { name, uid, resourceVersion }: { name?: unknown; uid?: unknown; resourceVersion?: unknown } = metadata;
  return typeof name === 'string' && typeof uid === 'string' && typeof resourceVersion === 'string';
}

/** The port over the view. */
export function createDirectory(view: ReturnType<typeof directoryView>, { waitFor }: Pick<ProjectionAdmin, 'waitFor'>): Directory {
  const find = ({ group, plural }: ResourceKind): Kind | undefined => view.current().kinds.get(keyOf(group, plural));
  return {
    get: (kind, ref) => find(kind)?.objects.get(nameOf(kind.namespaced ? ref : { name: ref.name })),
    list(kind, namespace) {
      const found = find(kind);
      if (!found) return [];
      found.sorted ??= [...found.objects.values()].sort(byName);
      return namespace === undefined ? found.sorted : found.sorted.filter((object) => object.metadata.namespace === namespace);
    },
    complete(kind) {
      const complete = find(kind)?.complete;
      // The kinds of one namespace are watched there only: its list is then the whole one.
      return complete !== undefined && complete.size > 0;
    },
    caughtUp: (position, deadline) =>
      waitFor(directoryName, position, deadline).then(
        () => 'current',
        () => 'stale',
      ),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byName = ({ metadata: a }: StoredObject, { metadata: b }: StoredObject): number =>
  compare(a.namespace ?? '', b.namespace ?? '') || compare(a.name, b.name);
