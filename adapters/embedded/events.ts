import { PositionTrimmed, StreamNotIndexed } from '../../domain/errors.ts';
import { checkResourceVersion, checkStream, comparePositions, origin, type Position } from '../../domain/event/index.ts';
import {
  type Append,
  type Appended,
  type EventStore,
  isIndexed,
  type Observation,
  type Observed,
  type ReadLog,
} from '../../domain/ports/index.ts';
import type { ArchiveReader } from './archive.ts';
import type { Core, Draft } from './core.ts';
import { indexAfter } from './state.ts';

export function createEvents(core: Core, archive?: ArchiveReader): EventStore {
  return {
    append: async (append) => core.change((draft) => appendOne(draft, append)),
    appendAll: async (appends) => appends.map((append) => core.change((draft) => appendOne(draft, append))),
    observe: async (observations, term) =>
      observations.map((seen) =>
        core.change((draft): Observed => {
          if (term !== undefined && term < draft.state.term) return { outcome: 'superseded', term: draft.state.term };
          if (term !== undefined && term > draft.state.term) draft.push({ k: 'term', term });
          return observeOne(draft, seen);
        }),
      ),
    async *read(stream, after = 0) {
      if (!isIndexed(stream)) throw StreamNotIndexed({ stream });
      let from = after;
      const { trimmed } = core.state;
      for await (const event of archive?.read(stream, after) ?? []) {
        if (comparePositions(event.position, trimmed) > 0) break;
        from = event.version;
        yield event;
      }
      for (const event of [...(core.state.index.get(stream) ?? [])]) if (event.version > from) yield event;
    },
    log: (after, how) => follow(core, after, how ?? {}, archive),
    end: async () => core.state.last,
    extent: async () => ({
      first: core.state.log[0]?.position ?? origin,
      last: core.state.log.at(-1)?.position ?? origin,
      events: core.state.log.length,
    }),
  };
}

function appendOne(draft: Draft, { stream, events, expected, id, term }: Append): Appended {
  checkStream(stream);
  if (events.length < 1 || events.length > 100) throw new RangeError('an append has 1 to 100 events');
  const before = draft.state.ids.get(id);
  if (before) return { outcome: 'duplicate', version: before.version, position: before.position };
  if (term !== undefined && term < draft.state.term) return { outcome: 'superseded', term: draft.state.term };
  const version = draft.state.versions.get(stream) ?? 0;
  const met = expected === 'any' || (expected === 'none' ? version === 0 : expected === 'exists' ? version > 0 : expected === version);
  if (!met) return { outcome: 'conflict', version };
  if (term !== undefined && term > draft.state.term) draft.push({ k: 'term', term });
  const made = draft.add(stream, id, events);
  const last = made.at(-1) ?? made[0];
  draft.push({ k: 'id', id, position: last.position, version: last.version, since: draft.now });
  return { outcome: 'appended', version: last.version, position: last.position };
}

/** Records one observation in the draft, unless it or a newer one is known. */
export function observeOne(draft: Draft, { stream, uid, gone, event, ...seen }: Observation): Observed {
  checkStream(stream);
  const resourceVersion = checkResourceVersion(seen.resourceVersion);
  const known = draft.seen(uid);
  if (known?.gone || (known && !gone && BigInt(resourceVersion) <= BigInt(known.resourceVersion))) return { outcome: 'known' };
  const [made] = draft.add(stream, `${uid}/${gone ? 'gone' : resourceVersion}`, [event]);
  draft.push({ k: 'seen', uid, resourceVersion, gone });
  return { outcome: 'recorded', version: made.version, position: made.position };
}

async function* follow(core: Core, after: Position, { batch = 250, follow: signal, gather }: ReadLog, archive: ArchiveReader | undefined) {
  let from = after;
  while (!signal?.aborted) {
    const { trimmed } = core.state;
    if (comparePositions(from, trimmed) < 0 && archive) {
      for await (const events of archive.log(from)) {
        const missing = events.filter(({ position }) => comparePositions(position, trimmed) <= 0);
        if (missing.length > 0) yield missing;
        if (missing.length < events.length || signal?.aborted) break;
      }
      from = trimmed;
      continue;
    }
    if (comparePositions(from, trimmed) < 0) {
      throw PositionTrimmed({ position: from, first: core.state.log[0]?.position ?? trimmed });
    }
    const start = indexAfter(core.state.log, from);
    const events = core.state.log.slice(start, start + batch);
    const last = events.at(-1);
    if (last) {
      from = last.position;
      yield events;
    } else if (signal) {
      await gather?.(signal);
      if (!signal.aborted && comparePositions(core.state.last, from) <= 0) await appended(core, signal);
    } else return;
  }
}

function appended(core: Core, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const stop = core.onAppend(done);
    signal.addEventListener('abort', done);
  });
}
