import type { ViewId } from '../../../domain/ports/index.ts';
import type { ValkeyConnection } from '../connection.ts';
import { asList, asNumber, asText } from '../reply.ts';
import { type Ask, toRow } from './ask.ts';
import { buildOf } from './encode.ts';
import { compareKeys } from './page.ts';

const rowsAtOnce = 200;
const entriesAtOnce = 1_000;

/** Every row and index entry in order. Only keys are held in memory at once. */
export async function* dump(connection: ValkeyConnection, ask: Ask, view: ViewId): AsyncGenerator<string> {
  const prefix = `${connection.tag}:view:${view.name}:${buildOf(view)}`;
  const { keys, indexes } = await scan(connection, `${prefix}:meta`);
  for (let i = 0; i < keys.length; i += rowsAtOnce) {
    const some = keys.slice(i, i + rowsAtOnce);
    const rows = asList(await ask('view_rows', [view.name, buildOf(view), ...some]));
    for (const [n, key] of some.entries()) {
      const parts = Object.entries(toRow(rows[n]) ?? {}).sort(([a], [b]) => compareKeys(a, b));
      yield `row ${JSON.stringify(key)} ${JSON.stringify(parts)}`;
    }
  }
  for (const index of indexes) {
    for (let from = 0; ; from += entriesAtOnce) {
      const found = asList(await connection.fetch('ZRANGE', [`${prefix}:index:${index}`, from, from + entriesAtOnce - 1, 'WITHSCORES']));
      for (let i = 0; i < found.length; i += 2)
        yield `index ${JSON.stringify(index)} ${asNumber(found[i + 1])} ${JSON.stringify(asText(found[i]))}`;
      if (found.length < 2 * entriesAtOnce) break;
    }
  }
}

async function scan(connection: ValkeyConnection, key: string) {
  const keys = new Set<string>();
  const indexes = new Set<string>();
  let cursor = '0';
  do {
    const [next, found] = asList(await connection.fetch('HSCAN', [key, cursor, 'COUNT', 1_000]));
    cursor = asText(next);
    const list = asList(found);
    for (let i = 0; i < list.length; i += 2) {
      keys.add(asText(list[i]));
      const meta = asText(list[i + 1]);
      for (const index of meta.slice(meta.indexOf('\u0003') + 1).split('\u0001')) if (index !== '') indexes.add(index);
    }
  } while (cursor !== '0');
  return { keys: [...keys].sort(compareKeys), indexes: [...indexes].sort(compareKeys) };
}
