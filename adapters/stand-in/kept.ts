/** The newest of what came in, and who waits for more. */
export interface Kept<T> extends AsyncIterable<T> {
  readonly all: readonly T[];
  /** How many came in altogether, also those no longer kept. */
  readonly count: number;
}

export function createKept<T>(most: number) {
  const all: T[] = [];
  let count = 0;
  let wake: (() => void)[] = [];
  return {
    all,
    get count() {
      return count;
    },
    add(item: T): void {
      all.push(item);
      count++;
      if (all.length > most) all.shift();
      for (const go of wake) go();
      wake = [];
    },
    /** From the first that is kept on; waits for more without end. Items that fell out before they were read are passed over. */
    async *[Symbol.asyncIterator](): AsyncGenerator<T> {
      for (let next = count - all.length; ; ) {
        next = Math.max(next, count - all.length);
        const item = all[next - (count - all.length)];
        if (next < count && item !== undefined) {
          next++;
          yield item;
        } else await new Promise<void>((go) => wake.push(go));
      }
    },
  };
}
