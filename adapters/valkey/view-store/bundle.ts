import { maxParts } from '../../../domain/ports/index.ts';

// The parts that one batch put into a row, one behind the other: name, length of the value in UTF-16 units, value. A name that begins with `?` is
// that of a part that stays as it is when it is there.
const end = '\u0001';

export const bundlePart = (name: string, value: string, once: boolean): string =>
  `${once ? '?' : ''}${name}${end}${value.length}${end}${value}`;

/** The row that bundles make, oldest first: the newest value of a part counts, of one that is put once the first; 200 parts, and `more` behind them. */
export function openBundles(bundles: readonly string[], wanted?: readonly string[]): Readonly<Record<string, string>> {
  const row = new Map<string, string>();
  let more = false;
  for (const bundle of bundles) {
    for (let at = 0; at < bundle.length; ) {
      const nameEnd = bundle.indexOf(end, at);
      const lengthEnd = bundle.indexOf(end, nameEnd + 1);
      const once = bundle[at] === '?';
      const name = bundle.slice(once ? at + 1 : at, nameEnd);
      at = lengthEnd + 1 + Number(bundle.slice(nameEnd + 1, lengthEnd));
      const there = row.has(name);
      if (!there && row.size >= maxParts) more = true;
      else if (!(there && once)) row.set(name, bundle.slice(lengthEnd + 1, at));
    }
  }
  if (more) row.set('more', '1');
  return Object.fromEntries(wanted ? [...row].filter(([name]) => wanted.includes(name)) : row);
}
