import type { Sink, Watch, WatchHow } from '../api/watch.ts';

/** What a request is answered with: a text, or the lines of a watch. */
export type Answer =
  | { readonly code: number; readonly body: string; readonly type?: string; readonly warnings?: readonly string[] }
  | { readonly code: 200; readonly watch: (sink: Sink, how: WatchHow) => Watch; readonly show: WatchHow['show'] };

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly contentType: string;
  readonly accept: string | undefined;
  readonly agent: string;
}

export const ok = (body: string, code = 200): Answer => ({ code, body });
export const plain = (code: number, body: string): Answer => ({ code, body, type: 'text/plain; charset=utf-8' });
