import type { Labels } from '../../domain/ports/index.ts';

/** What stands for all values of a label beyond its bound. */
export const folded = 'other';

/** Distinct values one label of one metric may have, and the longest of them. */
const mostValues = 200;
const longest = 128;

/**
 * Keeps the number of series finite whatever is put into a label: a name that a caller chose (a pattern, a path) would otherwise
 * make a new series each time, here and in Prometheus, for as long as the process lives.
 */
export function createBound(names: readonly string[], onFold: () => void): (labels?: Labels) => Record<string, string> {
  const seen = new Map(names.map((name) => [name, new Set<string>()]));
  return (labels = {}) => {
    const kept: Record<string, string> = {};
    for (const [name, values] of seen) {
      const value = labels[name] ?? '';
      if (values.has(value)) kept[name] = value;
      else if (values.size < mostValues && value.length <= longest) {
        values.add(value);
        kept[name] = value;
      } else {
        onFold();
        kept[name] = folded;
      }
    }
    return kept;
  };
}
