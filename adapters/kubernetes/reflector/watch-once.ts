import type { Clock, ObjectChange } from '../../../domain/ports/index.ts';
import type { Known } from './known.ts';
import { lineCutter } from './lines.ts';
import type { ListWatch } from './list-watch.ts';

export class WatchSilent extends Error {}

/** Between 5 and 10 minutes, so that kinds begun together are not renewed together. */
const timeoutSeconds = (random: number): number => Math.floor(300 + random * 300);

/**
 * One watch request, until the server ends it (returns), it breaks (throws) or nothing was heard for `silence` ms (throws WatchSilent).
 * `bookmark` gets versions a later watch may begin at: never an object's own.
 */
export async function watchOnce(how: {
  readonly from: string;
  readonly source: ListWatch;
  readonly known: Known;
  readonly clock: Clock;
  readonly silence: number;
  readonly signal: AbortSignal;
  readonly opened: () => void;
  readonly heard: () => void;
  readonly bookmark: (resourceVersion: string) => void;
  readonly deliver: (changes: readonly ObjectChange[]) => Promise<void>;
}): Promise<void> {
  const { clock, known, source } = how;
  const ends = new AbortController();
  const forward = () => ends.abort(how.signal.reason);
  how.signal.addEventListener('abort', forward, { once: true });
  if (how.signal.aborted) forward();
  let heardAt = clock.monotonic();
  let handling = false;

  async function guard() {
    for (;;) {
      const left = heardAt + how.silence - clock.monotonic();
      // A handler that takes its time is no silence of the server: nothing is read meanwhile.
      if (left <= 0 && !handling) return ends.abort(new WatchSilent(`the watch was silent for ${how.silence / 1000} s`));
      await clock.sleep(left > 0 ? left : how.silence, ends.signal);
    }
  }
  // Rejects only when `ends` aborts, which is how this function leaves it.
  guard().catch(() => undefined);

  try {
    const bytes = await source.watch({ resourceVersion: how.from, timeoutSeconds: timeoutSeconds(clock.random()), signal: ends.signal });
    known.resumed(how.from);
    how.opened();
    const cut = lineCutter();
    for await (const chunk of bytes) {
      heardAt = clock.monotonic();
      const lines = cut(chunk);
      if (lines.length === 0) continue;
      how.heard();
      handling = true;
      await take(lines);
      handling = false;
      heardAt = clock.monotonic();
    }
  } catch (error) {
    throw ends.signal.aborted ? ends.signal.reason : error;
  } finally {
    how.signal.removeEventListener('abort', forward);
    ends.abort();
  }

  /** Lines before one that can't be read are delivered all the same: a later watch would not repeat them. */
  async function take(lines: readonly string[]): Promise<void> {
    const changes: ObjectChange[] = [];
    let bookmark: string | undefined;
    let failure: unknown;
    for (const text of lines) {
      try {
        const line = source.line(text);
        if (line.type === 'BOOKMARK') bookmark = line.resourceVersion;
        else changes.push(...known.watched(line));
      } catch (error) {
        failure = error;
        break;
      }
    }
    if (changes.length > 0) await how.deliver(changes);
    if (bookmark !== undefined) how.bookmark(bookmark);
    if (failure !== undefined) throw failure;
  }
}
