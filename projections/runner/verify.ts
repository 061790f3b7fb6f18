import type { ViewId, ViewStore } from '../../domain/ports/index.ts';

export interface Comparison {
  readonly equal: boolean;
  readonly rows: number;
  readonly differences: readonly string[];
}

const shown = 20;

/** Compares two builds line by line. `rows` counts rows, not index entries; at most 20 differences are told. */
export async function compareBuilds(views: ViewStore, live: ViewId, built: ViewId, signal: AbortSignal): Promise<Comparison> {
  const [a, b] = [views.dump(live)[Symbol.asyncIterator](), views.dump(built)[Symbol.asyncIterator]()];
  const differences: string[] = [];
  let rows = 0;
  for (;;) {
    signal.throwIfAborted();
    const [one, other] = await Promise.all([a.next(), b.next()]);
    if (one.done && other.done) return { equal: differences.length === 0, rows, differences };
    if (!one.done && one.value.startsWith('row ')) rows += 1;
    if (!one.done && !other.done && one.value === other.value) continue;
    if (!one.done) differences.push(`live: ${one.value.slice(0, 200)}`);
    if (!other.done) differences.push(`rebuilt: ${other.value.slice(0, 200)}`);
    // Behind the first difference lines stand beside others: more of them say nothing new.
    if (differences.length >= shown) return { equal: false, rows, differences };
  }
}
