import { longestName } from './datagram.ts';

/** How far a broken frame is looked through: ids stand at the front. */
const reach = 65_536;

export interface Readable {
  readonly id?: string;
  readonly pattern?: string;
}

/**
 * Id and pattern of a frame that is no JSON as a whole (cut off, a stray comma), so that its sender hears of it.
 * Only keys of the outermost object count: the id of something inside the payload is somebody else's.
 */
export function readable(text: string): Readable {
  const found: { id?: string; pattern?: string } = {};
  let depth = 0;
  let key: string | undefined;
  const end = Math.min(text.length, reach);
  for (let i = 0; i < end; i++) {
    const c = text.charAt(i);
    if (depth === 0 && c !== '{' && c.trim() !== '') return found;
    if (c === '{' || c === '[') depth++;
    else if (c === '}' || c === ']') depth--;
    else if (c === '"') {
      const close = closingQuote(text, i, end);
      if (close === undefined) return found;
      const literal = unquoted(text.slice(i, close + 1));
      i = close;
      if (depth !== 1 || literal === undefined) continue;
      if (key === undefined) key = literal;
      else {
        if ((key === 'id' || key === 'pattern') && literal !== '' && literal.length <= longestName) found[key] = literal;
        key = undefined;
      }
    } else if (c === ',' && depth === 1) key = undefined;
  }
  return found;
}

function closingQuote(text: string, open: number, end: number): number | undefined {
  for (let i = open + 1; i < end; i++) {
    const c = text.charAt(i);
    if (c === '"') return i;
    if (c === '\\') i++;
  }
  return undefined;
}

function unquoted(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
