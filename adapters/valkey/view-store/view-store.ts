import { StoreUnavailable } from '../../../domain/errors.ts';
import { parsePosition } from '../../../domain/event/index.ts';
import type { Applied, ViewBuild, ViewId, ViewStore } from '../../../domain/ports/index.ts';
import type { ValkeyConnection } from '../connection.ts';
import { functionName } from '../functions/index.ts';
import { asList, asNumber, asText } from '../reply.ts';
import { type Ask, toRow } from './ask.ts';
import { dump } from './dump.ts';
import { buildOf, encodeBatches } from './encode.ts';
import { readPage } from './page.ts';

/** A former live build stays readable so long, in ms: longer than any page of a reader takes. */
const grace = 60_000;
/** Rows removed in one call. */
const slice = '500';

/** Stored views over Valkey; see `functions.ts` for the keys. */
export function createValkeyViewStore(connection: ValkeyConnection): ViewStore {
  const ask: Ask = async (name, args) => {
    try {
      return await connection.fetch('FCALL_RO', [functionName(name), 1, connection.tag, ...args]);
    } catch (error) {
      // A server without our functions gets them through the other way.
      if (StoreUnavailable.is(error) && error.data.reason.startsWith('ERR Function not found')) return connection.call(name, args);
      throw error;
    }
  };
  const remove = async ({ name, ...build }: ViewId) => {
    const view = buildOf({ name, ...build });
    if (asNumber(await connection.call('view_close', [name, view])) === 0) return;
    for (let cursor: unknown = '0', left: unknown = 1; asNumber(left) > 0; )
      [cursor, left] = asList(await connection.call('view_drop_slice', [name, view, asText(cursor), slice]));
  };

  return {
    async live(name) {
      const live = await connection.fetch('GET', [`${connection.tag}:view:${name}:live`]);
      return live === null ? undefined : viewOf(name, asText(live));
    },
    async builds(name) {
      const { builds, leftovers } = readBuilds(name, asList(await ask('view_builds', [name])));
      for (const view of leftovers) await remove(view);
      return builds;
    },
    async begin(name, version) {
      return { name, version, generation: asNumber(await connection.call('view_begin', [name, version])) };
    },
    async apply(batches) {
      return asList(await connection.call('view_apply', encodeBatches(batches))).map(toApplied);
    },
    async makeLive(view, expected) {
      const answer = await connection.call('view_make_live', [view.name, buildOf(view), expected ? buildOf(expected) : '']);
      if (answer === 'live' || answer === 'elsewhere' || answer === 'behind' || answer === 'gone') return answer;
      throw StoreUnavailable({ reason: 'an answer of another shape (view_make_live)' });
    },
    drop: remove,
    page: (view, page) => readPage(ask, view, page),
    async rows(view, keys, parts) {
      if (keys.length === 0) return [];
      return asList(await ask('view_rows', [view.name, buildOf(view), ...keys])).map((row) => toRow(row, parts));
    },
    dump: (view) => dump(connection, ask, view),
  };
}

function viewOf(name: string, build: string): ViewId {
  const [version, generation] = build.split('.').map(Number);
  if (!Number.isInteger(version) || !Number.isInteger(generation)) throw StoreUnavailable({ reason: `no build of a view: ${build}` });
  return { name, version: version ?? 0, generation: generation ?? 0 };
}

/** `leftovers`: former live builds past their grace time, and what a process that died while dropping left behind. */
function readBuilds(name: string, [live, now, ...rest]: readonly unknown[]) {
  const builds: ViewBuild[] = [];
  const leftovers: ViewId[] = [];
  for (let i = 0; i < rest.length; i += 3) {
    const [build, at, retired] = [asText(rest[i]), asText(rest[i + 1]), asText(rest[i + 2])];
    const view = viewOf(name, build);
    if (at === '' || (retired !== '' && asNumber(now) - Number(retired) > grace)) leftovers.push(view);
    else builds.push({ view, checkpoint: parsePosition(at) ?? { corrupt: at }, live: build === live });
  }
  builds.sort((a, b) => Number(b.live) - Number(a.live) || a.view.generation - b.view.generation);
  return { builds, leftovers };
}

function toApplied(answer: unknown): Applied {
  const [outcome, found] = asList(answer);
  switch (outcome) {
    case 'applied':
    case 'gone':
      return { outcome };
    case 'corrupt':
      return { outcome, found: asText(found) };
    case 'elsewhere': {
      const checkpoint = parsePosition(asText(found));
      return checkpoint ? { outcome, checkpoint } : { outcome: 'corrupt', found: asText(found) };
    }
    default:
      throw StoreUnavailable({ reason: 'an answer of another shape (view_apply)' });
  }
}
