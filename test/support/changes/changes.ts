import type { ObjectChange } from '../../../domain/ports/index.ts';

/** What a reflector delivered, for tests to wait for and to look at. */
export interface CollectedChanges {
  readonly handle: (changes: readonly ObjectChange[]) => Promise<void>;
  readonly changes: readonly ObjectChange[];
  /** `appeared name initial`, `changed name`, `vanished name`. */
  brief(): string[];
  /** Resolves when so many changes were delivered in all. */
  until(count: number): Promise<void>;
}

export function collectChanges(): CollectedChanges {
  const changes: ObjectChange[] = [];
  let waiting: { count: number; resolve(): void }[] = [];
  return {
    changes,
    async handle(batch) {
      changes.push(...batch);
      for (const { resolve } of waiting.filter(({ count }) => changes.length >= count)) resolve();
      waiting = waiting.filter(({ count }) => changes.length < count);
    },
    brief: () =>
      changes.map((change) => `${change.type} ${change.object.metadata.name}${'initial' in change && change.initial ? ' initial' : ''}`),
    until: (count) => (changes.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }))),
  };
}
