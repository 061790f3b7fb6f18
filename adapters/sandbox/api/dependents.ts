import { asList, asText, isObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import type { Stored } from '../store/stored.ts';

export interface Dependent {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

const keyOf = ({ kind, namespace, name }: Dependent): string => `${kind.group}/${kind.plural}/${namespace}/${name}`;

/** Who belongs to whom: owner uid -> its dependents. An index, because a search of all objects at each deletion would be quadratic. */
export class Dependents {
  private readonly byOwner = new Map<string, Map<string, Dependent>>();
  private readonly owners = new Map<string, readonly string[]>();

  see(kind: Kind, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Stored): void {
    const dependent = { kind, namespace: asText(object.metadata.namespace), name: asText(object.metadata.name) };
    const now =
      type === 'DELETED' ? [] : asList(object.metadata.ownerReferences).map((owner) => (isObject(owner) ? asText(owner.uid) : ''));
    const key = keyOf(dependent);
    const before = this.owners.get(key) ?? [];
    if (before.length === 0 && now.length === 0) return;
    for (const uid of before) {
      const all = this.byOwner.get(uid);
      all?.delete(key);
      if (all?.size === 0) this.byOwner.delete(uid);
    }
    for (const uid of now) this.byOwner.set(uid, (this.byOwner.get(uid) ?? new Map()).set(key, dependent));
    if (now.length === 0) this.owners.delete(key);
    else this.owners.set(key, now);
  }

  has(uid: string): boolean {
    return this.byOwner.has(uid);
  }

  of(uid: string): readonly Dependent[] {
    return [...(this.byOwner.get(uid)?.values() ?? [])];
  }
}
