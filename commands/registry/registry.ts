import { describePattern, type PatternConfig } from './describe.ts';
import type { Pattern } from './pattern.ts';

export interface Registry {
  find(pattern: string): Pattern | undefined;
  /** Sorted by name. */
  readonly names: readonly string[];
  /** What `describe` answers, made once. */
  describe(): Readonly<Record<string, PatternConfig>>;
}

/** Throws when two patterns have one name, or would in a generated client (upper case, `/` and `-` as `_`). */
export function createRegistry(patterns: readonly Pattern[]): Registry {
  const byName = new Map<string, Pattern>();
  const normalised = new Map<string, string>();
  for (const pattern of patterns) {
    const constant = pattern.pattern.toUpperCase().replaceAll(/[/-]/g, '_');
    const other = normalised.get(constant);
    if (other !== undefined) throw new TypeError(`the patterns ${other} and ${pattern.pattern} are both ${constant}`);
    normalised.set(constant, pattern.pattern);
    byName.set(pattern.pattern, pattern);
  }
  const byKey = ([a]: [string, Pattern], [b]: [string, Pattern]) => (a < b ? -1 : 1);
  const names = [...byName.keys()].sort();
  let described: Record<string, PatternConfig> | undefined;
  return {
    find: (name) => byName.get(name),
    names,
    describe() {
      described ??= Object.fromEntries([...byName].sort(byKey).map(([name, pattern]) => [name, describePattern(pattern)]));
      return described;
    },
  };
}
