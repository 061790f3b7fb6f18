import type { Clock } from '../../../domain/ports/index.ts';
import { Registry } from '../kinds/registry.ts';
import { type Kind, storeKeyOf } from '../model/kind.ts';
import { type Change, Store } from '../store/store.ts';

/** What all operations share: the kinds, the objects, the time, and work that is done soon after an answer. */
export class World {
  readonly registry = new Registry();
  readonly store: Store;
  readonly clock: Clock;
  /** Called after each change, before its watchers have been told everything that follows from it. */
  changed: (kind: Kind, change: Pick<Change, 'type' | 'object' | 'before'>) => void = () => {};
  private readonly soon = new Set<NodeJS.Immediate>();

  constructor(how: { readonly clock: Clock; readonly historyLimit: number; readonly firstResourceVersion: number }) {
    this.clock = how.clock;
    this.store = new Store({ limit: how.historyLimit, revision: how.firstResourceVersion });
    for (const kind of this.registry.kinds()) this.store.shelf(storeKeyOf(kind));
  }

  /** Does what a controller of the server does: not in the call that caused it, but at once after it. */
  later(work: () => void): void {
    const handle = setImmediate(() => {
      this.soon.delete(handle);
      work();
    });
    this.soon.add(handle);
  }

  close(): void {
    for (const handle of this.soon) clearImmediate(handle);
    this.soon.clear();
  }
}
