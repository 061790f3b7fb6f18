import type { Page, ViewId } from '../../../domain/ports/index.ts';
import { asList, asNumber, asText } from '../reply.ts';
import type { Ask } from './ask.ts';
import { buildOf } from './encode.ts';

/** One page; of several indexes what each may give to it is merged here, because the server's order of texts depends on its locale. */
export async function readPage(ask: Ask, view: ViewId, { index, order, offset, limit, min, max }: Page) {
  const names = typeof index === 'string' ? [index] : index;
  if (names.length === 0) return { keys: [], total: 0 };
  const bounds = [min ?? '-inf', max ?? '+inf'];
  const [total, ...found] = asList(await ask('view_page', [view.name, buildOf(view), order, offset, limit, ...bounds, ...names]));
  const entries = [];
  for (let i = 0; i < found.length; i += 2) entries.push({ key: asText(found[i]), score: asNumber(found[i + 1]) });
  if (names.length > 1) entries.sort(order === 'ascending' ? compare : (a, b) => compare(b, a));
  const page = names.length > 1 ? entries.slice(offset, offset + limit) : entries;
  return { keys: page.map(({ key }) => key), total: asNumber(total) };
}

interface Entry {
  readonly key: string;
  readonly score: number;
}

const compare = (a: Entry, b: Entry): number => a.score - b.score || compareKeys(a.key, b.key);

/** By the bytes of UTF-8, as Valkey orders members of the same score. */
export const compareKeys = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)));
