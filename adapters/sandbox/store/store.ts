import { asObject, asText, type JsonObject } from '../model/json.ts';
import type { Stored } from './stored.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** After a deletion: the last state, with the revision of the deletion. */
  readonly object: Stored;
  readonly before?: Stored;
  readonly key: string;
}
export type Watcher = (change: Change) => void;

/** Objects of one kind by `namespace/name`, in the order of the server's keys. */
class Shelf {
  readonly objects = new Map<string, Stored>();
  readonly watchers = new Set<Watcher>();
  /** The kind was served first at this revision: an earlier watch is refused, as the server's cache begins here. */
  readonly since: number;
  private order: readonly string[] | undefined;

  constructor(since: number) {
    this.since = since;
  }

  keys(): readonly string[] {
    this.order ??= [...this.objects.keys()].sort((one, other) => (one < other ? -1 : 1));
    return this.order;
  }

  put(key: string, object: Stored): void {
    if (!this.objects.has(key)) this.order = undefined;
    this.objects.set(key, object);
  }

  drop(key: string): void {
    if (this.objects.delete(key)) this.order = undefined;
  }
}

export const keyOf = (object: JsonObject): string => {
  const metadata = asObject(object.metadata);
  return `${asText(metadata.namespace)}/${asText(metadata.name)}`;
};

/**
 * All objects under one rising revision, and the newest changes in a ring: watches are continued and older states are read from it.
 * What leaves the ring is compacted: to ask for it is answered 410.
 */
export class Store {
  private readonly shelves = new Map<string, Shelf>();
  private ring: (Change & { readonly shelf: string })[] = [];
  private start = 0;
  private readonly limit: number;
  revision: number;
  /** Changes up to here are forgotten. */
  compacted: number;

  constructor(how: { readonly limit: number; readonly revision: number }) {
    this.limit = how.limit;
    this.revision = how.revision;
    this.compacted = how.revision;
  }

  shelf(name: string): Shelf {
    let found = this.shelves.get(name);
    if (!found) {
      found = new Shelf(this.revision);
      this.shelves.set(name, found);
    }
    return found;
  }

  removeShelf(name: string): void {
    this.shelves.delete(name);
  }

  get(shelf: string, key: string): Stored | undefined {
    return this.shelves.get(shelf)?.objects.get(key);
  }

  /** `write` makes the object under its new revision. */
  put(shelf: string, key: string, write: (revision: number) => Stored): Stored {
    const on = this.shelf(shelf);
    const before = on.objects.get(key);
    this.revision += 1;
    const object = write(this.revision);
    on.put(key, object);
    this.record(shelf, { type: before ? 'MODIFIED' : 'ADDED', revision: this.revision, object, key, ...(before ? { before } : {}) });
    return object;
  }

  drop(shelf: string, key: string, write: (revision: number, last: Stored) => Stored): Stored | undefined {
    const on = this.shelf(shelf);
    const before = on.objects.get(key);
    if (!before) return undefined;
    this.revision += 1;
    const object = write(this.revision, before);
    on.drop(key);
    this.record(shelf, { type: 'DELETED', revision: this.revision, object, before, key });
    return object;
  }

  private record(shelf: string, change: Change): void {
    this.ring.push({ ...change, shelf });
    if (this.ring.length - this.start > this.limit) this.forget(this.start + 1);
    for (const watcher of this.shelf(shelf).watchers) watcher(change);
  }

  private forget(upTo: number): void {
    this.compacted = this.ring[upTo - 1]?.revision ?? this.compacted;
    this.start = upTo;
    // Cut now and then, not at each change: a shift of a long array costs its length.
    if (this.start >= Math.max(1_024, this.limit)) {
      this.ring = this.ring.slice(this.start);
      this.start = 0;
    }
  }

  compact(): void {
    this.ring = [];
    this.start = 0;
    this.compacted = this.revision;
  }

  /** The oldest revision a watch of the kind can continue from. */
  oldest(shelf: string): number {
    return Math.max(this.compacted, this.shelf(shelf).since);
  }

  /** Changes of one kind after a revision, oldest first. */
  changesAfter(shelf: string, revision: number): Change[] {
    let low = this.start;
    let high = this.ring.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ring[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.ring.slice(low).filter((change) => change.shelf === shelf);
  }

  /** The kind as it is, or as it was at an older revision: newer changes are taken back. Keys in order. */
  at(shelf: string, revision: number): { readonly keys: readonly string[]; readonly get: (key: string) => Stored | undefined } {
    const on = this.shelf(shelf);
    const newer = revision < this.revision ? this.changesAfter(shelf, revision) : [];
    if (newer.length === 0) return { keys: on.keys(), get: (key) => on.objects.get(key) };
    const then = new Map<string, Stored | undefined>();
    for (const change of newer) if (!then.has(change.key)) then.set(change.key, change.before);
    const keys = new Set(on.objects.keys());
    for (const [key, object] of then) {
      if (object) keys.add(key);
      else keys.delete(key);
    }
    return {
      keys: [...keys].sort((one, other) => (one < other ? -1 : 1)),
      get: (key) => (then.has(key) ? then.get(key) : on.objects.get(key)),
    };
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.shelves].map(([name, shelf]) => [name, shelf.objects.size]));
  }
}
