const longestText = 4096;
const mostItems = 100;
const deepest = 8;

/** A copy of log data that can be printed whatever was in it: errors with their causes, no cycles, cut where it is long, wide or deep. */
export function plain(value: unknown, erase: (text: string) => string): unknown {
  const above = new Set<object>();

  function copy(item: unknown, depth: number): unknown {
    switch (typeof item) {
      case 'string':
        // Erased before it is cut: half a secret would not be recognised.
        return cut(erase(item));
      case 'bigint':
      case 'symbol':
        return String(item);
      case 'function':
        return `[function ${item.name}]`;
      case 'object':
        return item === null ? null : guarded(item, depth);
      default:
        return item;
    }
  }

  function guarded(item: object, depth: number): unknown {
    if (above.has(item)) return '[circular]';
    if (depth > deepest) return '[deeper]';
    above.add(item);
    try {
      return inside(item, depth);
    } catch (error) {
      return `[unreadable: ${error instanceof Error ? error.name : 'thrown'}]`; // a getter or proxy that throws must not lose the line
    } finally {
      above.delete(item);
    }
  }

  function inside(item: object, depth: number): unknown {
    if (item instanceof Error) return copyFields({ ...about(item), ...item }, depth);
    if (item instanceof Date) return Number.isNaN(item.getTime()) ? 'invalid date' : item.toISOString();
    if (item instanceof URL) return copy(item.href, depth);
    if (ArrayBuffer.isView(item)) return `[${item.byteLength} bytes]`;
    if (item instanceof Map)
      return copyFields(Object.fromEntries([...item].slice(0, mostItems + 1).map(([key, field]) => [String(key), field])), depth);
    if (item instanceof Set) return copyList([...item], depth);
    return Array.isArray(item) ? copyList(item, depth) : copyFields(item, depth);
  }

  function copyList(items: readonly unknown[], depth: number): unknown {
    const shown = items.slice(0, mostItems).map((item) => copy(item, depth + 1));
    return items.length > mostItems ? [...shown, `[${items.length - mostItems} more]`] : shown;
  }

  function copyFields(item: object, depth: number): unknown {
    const fields = Object.entries(item);
    const shown = fields.slice(0, mostItems).map(([key, field]) => [cut(erase(key)), copy(field, depth + 1)]);
    if (fields.length > mostItems) shown.push(['...', `[${fields.length - mostItems} more]`]);
    return Object.fromEntries(shown);
  }

  return copy(value, 0);
}

const about = ({ name, message, stack, cause }: Error) => ({
  name,
  message,
  ...(stack ? { stack } : {}),
  ...(cause === undefined ? {} : { cause }),
});

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}...[truncated]` : text;
}
