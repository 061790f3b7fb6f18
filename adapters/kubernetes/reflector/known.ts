import type { ObjectChange, StoredObject } from '../../../domain/ports/index.ts';

export type WatchedEvent = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject };

const keyOf = ({ metadata }: StoredObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Decimal texts without leading zeros, as the API server gives them, compare by length first. Undefined when one is no number. */
export function newer(a: string, b: string): boolean | undefined {
  if (!/^\d+$/.test(a) || !/^\d+$/.test(b)) return undefined;
  return a.length === b.length ? a > b : a.length > b.length;
}

/** What is known of one kind, and what a list or a watch changes about it. Pure: no I/O, no clock. */
export class Known {
  private readonly objects = new Map<string, StoredObject>();
  /** The version of the last list or event. */
  private seen = '';
  /** A watch that resumes at an older bookmark repeats what lies between: up to here it is passed over. Empty when nothing is repeated. */
  private repeated = '';
  private listing: Set<string> | undefined;
  private first = true;

  get size(): number {
    return this.objects.size;
  }

  /** Objects of one page. Pages of one list belong together: call `listed` after the last one. */
  page(items: readonly StoredObject[]): ObjectChange[] {
    this.listing ??= new Set();
    const changes: ObjectChange[] = [];
    for (const object of items) {
      this.listing.add(keyOf(object));
      this.put(object, changes);
    }
    return changes;
  }

  /** The list ends: what was known and not listed has vanished, and nobody saw when. */
  listed(resourceVersion: string): ObjectChange[] {
    const changes: ObjectChange[] = [];
    for (const [key, object] of this.objects) {
      if (this.listing?.has(key)) continue;
      this.objects.delete(key);
      changes.push({ type: 'vanished', object });
    }
    this.listing = undefined;
    this.first = false;
    // A restored etcd counts from a lower number again.
    this.seen = resourceVersion;
    return changes;
  }

  /** A list that broke off is begun anew. */
  relist(): void {
    this.listing = undefined;
  }

  /** A watch begins after `resourceVersion`. */
  resumed(resourceVersion: string): void {
    this.repeated = resourceVersion === this.seen ? '' : this.seen;
  }

  watched({ type, object }: WatchedEvent): ObjectChange[] {
    const changes: ObjectChange[] = [];
    const { resourceVersion } = object.metadata;
    if (newer(resourceVersion, this.repeated) === false) return changes;
    this.seen = resourceVersion;
    if (type !== 'DELETED') this.put(object, changes);
    else {
      // The object of the event is its last state, under the version of the deletion.
      if (this.objects.delete(keyOf(object))) changes.push({ type: 'vanished', object, resourceVersion });
    }
    return changes;
  }

  private put(object: StoredObject, changes: ObjectChange[]): void {
    const key = keyOf(object);
    const before = this.objects.get(key);
    if (before?.metadata.uid === object.metadata.uid && before.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.objects.set(key, object);
    if (before === undefined) changes.push({ type: 'appeared', object, initial: this.first });
    else if (before.metadata.uid === object.metadata.uid) changes.push({ type: 'changed', object, before });
    // Deleted and made again while nobody looked.
    else changes.push({ type: 'vanished', object: before }, { type: 'appeared', object, initial: false });
  }
}
