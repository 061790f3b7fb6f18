/** What arrives is waited for in order, however early it came. */
export function inbox<T>(): { put(item: T): void; next(): Promise<T>; readonly waiting: number } {
  const items: T[] = [];
  const takers: ((item: T) => void)[] = [];
  return {
    put(item) {
      const taker = takers.shift();
      if (taker) taker(item);
      else items.push(item);
    },
    next() {
      const [item] = items.splice(0, 1);
      return item === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(item);
    },
    get waiting() {
      return items.length;
    },
  };
}
