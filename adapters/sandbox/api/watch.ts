import type { JsonObject } from '../model/json.ts';
import { apiVersionOf, type Kind, storeKeyOf } from '../model/kind.ts';
import { forbiddenValue, invalid, Refusal, tooOld } from '../model/status.ts';
import type { Change } from '../store/store.ts';
import { print, type Stored } from '../store/stored.ts';
import { selection, wholeNumber } from './list.ts';
import { inVersion } from './objects.ts';
import type { World } from './world.ts';

/** Where the lines of a watch go. */
export interface Sink {
  /** False when the reader is too far behind: the watch ends. */
  write(line: string): boolean;
  end(): void;
}

export interface WatchHow {
  /** Milliseconds between bookmarks. */
  readonly bookmarks: number;
  readonly signal: AbortSignal;
  /** An object as the reader wants it printed. */
  readonly show: (object: Stored) => string;
}

export interface Watch {
  readonly kind: Kind;
  bookmark(): void;
  end(): void;
}

interface Plan {
  readonly from: number | undefined;
  readonly initial: boolean;
  readonly bookmarks: boolean;
  readonly marksEnd: boolean;
  readonly seconds: number | undefined;
}

const options = { group: 'meta.k8s.io', kind: 'ListOptions' };
const truth = (text: string | null): boolean => text !== null && text !== 'false' && text !== '0';

function plan(query: URLSearchParams): Plan {
  const text = query.get('resourceVersion') ?? '';
  if (text !== '' && !/^\d+$/.test(text)) {
    throw new Refusal(
      500,
      '',
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  const sends = query.get('sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  const refuse = (why: string) => invalid(options, '', [forbiddenValue('resourceVersionMatch', why)]);
  if (sends !== null && match !== 'NotOlderThan') throw refuse('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  if (sends === null && match !== '') throw refuse('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  const from = text === '' || text === '0' ? undefined : Number(text);
  const bookmarks = truth(query.get('allowWatchBookmarks'));
  const initial = sends === null ? from === undefined : truth(sends);
  return { from, initial, bookmarks, marksEnd: bookmarks && initial && from === undefined, seconds: wholeNumber(query, 'timeoutSeconds') };
}

/** Checks the request; the returned function starts the watch. Errors come as a status before, and as an ERROR event after it. */
export function prepareWatch(world: World, kind: Kind, namespace: string, query: URLSearchParams): (sink: Sink, how: WatchHow) => Watch {
  const { selects } = selection(kind, query);
  const plans = plan(query);
  return (sink, how) => start(world, kind, { namespace, selects, plan: plans }, sink, how);
}

interface Scope {
  readonly namespace: string;
  readonly selects: (object: JsonObject) => boolean;
  readonly plan: Plan;
}

function start(world: World, kind: Kind, scope: Scope, sink: Sink, how: WatchHow): Watch {
  const { store } = world;
  const shelf = storeKeyOf(kind);
  const { from, initial, bookmarks, marksEnd } = scope.plan;
  const done = new AbortController();
  const end = () => {
    if (done.signal.aborted) return;
    store.shelf(shelf).watchers.delete(see);
    done.abort();
    sink.end();
  };
  const say = (line: string) => {
    if (!done.signal.aborted && !sink.write(line)) end();
  };
  const event = (type: string, object: Stored) => say(`{"type":"${type}","object":${how.show(inVersion(kind, object))}}\n`);
  const within = (key: string) => scope.namespace === '' || key.startsWith(`${scope.namespace}/`);
  const see = (change: Change): void => {
    if (!within(change.key) || (from !== undefined && change.revision <= from)) return;
    const was = change.before !== undefined && scope.selects(change.before);
    const is = change.type !== 'DELETED' && scope.selects(change.object);
    if (is) event(was ? 'MODIFIED' : 'ADDED', change.object);
    // An object that leaves the selection is shown as it last was in it, under the version in which it left.
    else if (was) event('DELETED', change.type === 'DELETED' ? change.object : left(change));
  };
  const bookmark = (annotations?: JsonObject) => {
    // A version the reader has already named is no news: the server sends none on a quiet cluster.
    if (from !== undefined && store.revision <= from) return;
    const metadata = { resourceVersion: String(store.revision), ...(annotations ? { annotations } : {}) };
    say(`{"type":"BOOKMARK","object":${JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind), metadata })}}\n`);
  };
  how.signal.addEventListener('abort', end, { once: true });
  if (from !== undefined && !initial && from < store.oldest(shelf)) {
    say(`{"type":"ERROR","object":${JSON.stringify(tooOld(from, store.oldest(shelf)).status)}}\n`);
    end();
    return { kind, bookmark: () => {}, end };
  }
  if (initial) {
    const { keys, get } = store.at(shelf, store.revision);
    for (const key of keys) {
      const object = get(key);
      if (object && within(key) && scope.selects(object)) event('ADDED', object);
    }
    if (marksEnd) bookmark({ 'k8s.io/initial-events-end': 'true' });
  } else if (from !== undefined) {
    for (const change of store.changesAfter(shelf, from)) see(change);
  }
  if (!done.signal.aborted) store.shelf(shelf).watchers.add(see);
  void keepTime(world, scope.plan, how.bookmarks, () => bookmark(), end, done.signal);
  return { kind, bookmark: () => (bookmarks ? bookmark() : undefined), end };
}

function left(change: Change): Stored {
  const before = change.before ?? change.object;
  return { ...before, metadata: { ...before.metadata, resourceVersion: String(change.revision) } };
}

/** Ends the watch when its time is over, with a bookmark two seconds before and every so often. */
async function keepTime(
  world: World,
  plan: Plan,
  every: number,
  bookmark: () => void,
  end: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = world;
  // The server chooses between half an hour and an hour when the client names no time.
  const deadline = clock.monotonic() + (plan.seconds && plan.seconds > 0 ? plan.seconds * 1_000 : 1_800_000 * (1 + clock.random()));
  try {
    while (!signal.aborted) {
      const left = deadline - clock.monotonic();
      if (left <= 0) return end();
      const early = left - 2_000;
      const pause = plan.bookmarks ? Math.min(left, every, early > 0 ? early : Number.POSITIVE_INFINITY) : left;
      await clock.sleep(pause, signal);
      if (plan.bookmarks && deadline - clock.monotonic() > 0) bookmark();
    }
  } catch {
    // The watch ended while it slept.
  }
}

export const plainly = (object: Stored): string => print(object);
