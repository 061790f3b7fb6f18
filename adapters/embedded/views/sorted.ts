/** Keys by score, and by key where scores are the same: bytes of UTF-8, as Valkey orders them. */
export interface Sorted {
  readonly size: number;
  set(key: string, score: number): void;
  delete(key: string, score: number): void;
  entries(): readonly Entry[];
}

export interface Entry {
  readonly key: string;
  readonly score: number;
}

export function createSorted(): Sorted {
  const entries: Entry[] = [];
  const placeOf = (key: string, score: number): number => {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = entries[middle];
      if (at && compareEntries(at, { key, score }) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    get size() {
      return entries.length;
    },
    set(key, score) {
      entries.splice(placeOf(key, score), 0, { key, score });
    },
    delete(key, score) {
      const place = placeOf(key, score);
      if (entries[place]?.key === key) entries.splice(place, 1);
    },
    entries: () => entries,
  };
}

export function compareEntries(a: Entry, b: Entry): number {
  return a.score - b.score || compareKeys(a.key, b.key);
}

export function compareKeys(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
