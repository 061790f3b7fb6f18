import { z } from 'zod';
import { origin, type Position } from '../../domain/event/index.ts';
import type { ViewBatch, ViewStore } from '../../domain/ports/index.ts';

/** Characters of one row, of one call of the store, and of a whole snapshot. */
const bounds = { row: 64_000, call: 512_000, all: 32_000_000 };
const lines = z.array(z.string());

/** The snapshot of a resident view is a view of its own: rows of lines in the order of an index, switched when it is whole. */
const viewName = (resident: string): string => `${resident}~snapshot`;

export interface Snapshot {
  readonly at: Position;
  readonly lines: readonly string[];
}

/** The newest snapshot of this version; undefined when there is none, or none that can be trusted. */
export async function loadSnapshot(views: ViewStore, resident: string, version: number): Promise<Snapshot | undefined> {
  const found = (await views.builds(viewName(resident))).find(({ live }) => live);
  if (!found || found.view.version !== version || typeof found.checkpoint !== 'string') return undefined;
  const read: string[] = [];
  for (let offset = 0; ; ) {
    const { keys, total } = await views.page(found.view, { index: 'all', order: 'ascending', offset, limit: 20 });
    for (const row of await views.rows(found.view, keys)) {
      if (row?.lines === undefined) return undefined;
      for (const line of lines.parse(JSON.parse(row.lines))) read.push(line);
    }
    offset += keys.length;
    if (keys.length === 0 || offset >= total) break;
  }
  return { at: found.checkpoint, lines: read };
}

/** Stores the state as it is at the call; `texts` is read at once. Tells why when it could not. */
export async function saveSnapshot(
  views: ViewStore,
  resident: string,
  version: number,
  at: Position,
  texts: Iterable<string>,
): Promise<'saved' | 'too large' | 'another replica stored one'> {
  const rows = rowsOf(texts);
  if (!rows) return 'too large';
  const name = viewName(resident);
  const expected = await views.live(name);
  const view = await views.begin(name, version);
  let from: Position = origin;
  let writes: ViewBatch['writes'][number][] = [];
  let size = 0;
  const send = async (to: Position) => {
    const [answer] = await views.apply([{ view, from, to, writes }]);
    from = to;
    writes = [];
    size = 0;
    return answer?.outcome === 'applied';
  };
  for (const [n, row] of rows.entries()) {
    const key = String(n);
    writes.push({ op: 'put', key, part: 'lines', value: row }, { op: 'place', key, indexes: { all: n } });
    size += row.length;
    // Places on the way are none of the log's: they only have to rise.
    if (size >= bounds.call && !(await send(`0-${n + 1}`))) return 'another replica stored one';
  }
  const done = (await send(at)) && (await views.makeLive(view, expected)) === 'live';
  if (!done) await views.drop(view);
  return done ? 'saved' : 'another replica stored one';
}

function rowsOf(texts: Iterable<string>): readonly string[] | undefined {
  const rows: string[] = [];
  let row: string[] = [];
  let size = 0;
  let all = 0;
  const close = () => {
    rows.push(JSON.stringify(row));
    row = [];
    size = 0;
  };
  for (const line of texts) {
    row.push(line);
    size += line.length;
    all += line.length;
    if (all > bounds.all) return undefined;
    if (size >= bounds.row) close();
  }
  if (row.length > 0) close();
  return rows;
}
