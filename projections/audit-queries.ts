import type { AuditLogEntry, AuditLogQueries, Page, ViewId, ViewStore } from '../domain/ports/index.ts';
import { entryOf, matches } from './audit-entry.ts';
import { auditLogName } from './audit-log.ts';
import { chatIndex, namespaceIndex } from './audit-places.ts';
import { liveView } from './live-view.ts';

export interface AuditLogQueriesOptions {
  readonly views: ViewStore;
}

/** A search looks through so many of the newest. */
const searched = 10_000;
const slice = 500;
/** Entries of one page. */
const longest = 10_000;

/** The audit log as the view has it. Throws `ViewStale` while there is no such view yet: unknown is not empty. */
export function createAuditLogQueries({ views }: AuditLogQueriesOptions): AuditLogQueries {
  return {
    async one(requestId) {
      const [entry] = await entriesOf(views, await liveView(views, auditLogName), [requestId]);
      return entry;
    },
    async list({ limit, offset, namespaces, workspace, search }) {
      const view = await liveView(views, auditLogName);
      const index = indexOf(namespaces, workspace);
      const from = Math.max(0, Math.trunc(offset));
      const many = Math.min(Math.max(0, Math.trunc(limit)), longest);
      if (search !== undefined && search !== '') {
        const found = await find(views, view, index, search.toLowerCase());
        return { entries: await entriesOf(views, view, found.slice(from, from + many)), total: found.length };
      }
      const { keys, total } = await views.page(view, newest(index, from, many));
      return { entries: await entriesOf(views, view, keys), total };
    },
  };
}

/** No namespaces given: all. An empty list of them: none. The chat has no namespace and is found by its workspace. */
function indexOf(namespaces: readonly string[] | undefined, workspace: string | undefined): string | readonly string[] {
  if (namespaces)
    return [...new Set(namespaces.filter((one) => one !== '').map(namespaceIndex)), ...(workspace ? [chatIndex(workspace)] : [])];
  return workspace ? chatIndex(workspace) : 'all';
}

const newest = (index: Page['index'], offset: number, limit: number): Page => ({ index, order: 'descending', offset, limit });

async function entriesOf(views: ViewStore, view: ViewId, keys: readonly string[]): Promise<readonly AuditLogEntry[]> {
  const entries: AuditLogEntry[] = [];
  for (let i = 0; i < keys.length; i += slice) {
    const some = keys.slice(i, i + slice);
    const rows = await views.rows(view, some);
    for (const [n, key] of some.entries()) {
      const row = rows[n];
      const entry = row && entryOf(key, row);
      if (entry) entries.push(entry);
    }
  }
  return entries;
}

async function find(views: ViewStore, view: ViewId, index: Page['index'], search: string): Promise<readonly string[]> {
  // One page, so that what is written meanwhile shifts nothing under the search.
  const { keys } = await views.page(view, newest(index, 0, searched));
  const found: string[] = [];
  for (let i = 0; i < keys.length; i += slice) {
    const some = keys.slice(i, i + slice);
    const rows = await views.rows(view, some, ['intent', 'outcome']);
    found.push(...some.filter((_, n) => matches(rows[n] ?? {}, search)));
  }
  return found;
}
