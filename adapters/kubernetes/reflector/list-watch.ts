import { z } from 'zod';
import { ClusterRefused } from '../../../domain/errors.ts';
import type { ObjectPage, ResourceKind, StoredObject } from '../../../domain/ports/index.ts';
import { forKeeping, page, parseJson, requireObject } from '../objects.ts';
import { collectionPath, query } from '../paths.ts';
import { parseStatus, refusal } from '../refusal.ts';
import type { Transport } from '../transport.ts';

export type WatchLine =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** Lists and watches one kind. Refusals throw `ClusterRefused`, also those that come as a line of the watch. */
export interface ListWatch {
  /** One page, or everything with `limit` 0. */
  list(how: { limit: number; continue?: string; signal: AbortSignal }): Promise<ObjectPage>;
  /** The bytes of a watch that begins after `resourceVersion`. */
  watch(how: { resourceVersion: string; timeoutSeconds: number; signal: AbortSignal }): Promise<AsyncIterable<Uint8Array>>;
  line(text: string): WatchLine;
}

const lineSchema = z.object({ type: z.string(), object: z.looseObject({ metadata: z.looseObject({}).optional() }) });
const bookmarkSchema = z.object({ metadata: z.object({ resourceVersion: z.string().min(1) }) });

export function listWatch(transport: Transport, kind: ResourceKind, namespace: string | undefined): ListWatch {
  const path = collectionPath(kind, namespace);
  return {
    async list({ limit, continue: next, signal }) {
      const answer = await transport.request({ method: 'GET', path: path + query({ limit: limit || undefined, continue: next }), signal });
      if (answer.status !== 200) throw refusal(answer);
      const found = page(parseJson(answer.text), kind);
      return { ...found, items: found.items.map(forKeeping) };
    },
    async watch({ resourceVersion, timeoutSeconds, signal }) {
      const params = query({ watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds });
      const answer = await transport.stream(path + params, signal);
      if (answer.statusCode === 200) return answer.body;
      throw refusal({ status: answer.statusCode, contentType: '', text: await answer.body.text() });
    },
    line(text) {
      const { type, object } = lineSchema.parse(JSON.parse(text));
      switch (type) {
        case 'ADDED':
        case 'MODIFIED':
        case 'DELETED':
          return { type, object: forKeeping(requireObject(object, kind)) };
        case 'BOOKMARK':
          return { type, resourceVersion: bookmarkSchema.parse(object).metadata.resourceVersion };
        default: {
          const status = parseStatus(object) ?? { code: 500, reason: 'Unknown', message: `the watch sent a line of type ${type}` };
          throw ClusterRefused({ status: status.code, reason: status.reason, message: status.message });
        }
      }
    },
  };
}

/** The version is no longer known: only a new list helps. */
export const isGone = (error: unknown): boolean =>
  ClusterRefused.is(error) && (error.data.status === 410 || error.data.reason === 'Expired' || error.data.reason === 'Gone');
