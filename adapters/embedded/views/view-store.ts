import { comparePositions, type Position, parsePosition } from '../../../domain/event/index.ts';
import type { Applied, Clock, Page, ViewBatch, ViewBuild, ViewId, ViewStore } from '../../../domain/ports/index.ts';
import { type Build, createBuild, write } from './build.ts';
import { compareEntries, compareKeys } from './sorted.ts';

/** A former live build stays readable so long, in ms: longer than any page of a reader takes. */
const grace = 60_000;

interface View {
  readonly builds: Map<number, Build>;
  live: number | undefined;
  generation: number;
}

/** Views in the memory of one process. They are gone with it, and folded anew from the log at the next start. */
export function createEmbeddedViewStore({ clock }: { readonly clock: Clock }): ViewStore {
  const views = new Map<string, View>();
  const viewOf = (name: string): View => {
    const view = views.get(name) ?? { builds: new Map(), live: undefined, generation: 0 };
    views.set(name, view);
    return view;
  };
  const find = ({ name, version, generation }: ViewId): Build | undefined => {
    const build = views.get(name)?.builds.get(generation);
    return build?.view.version === version ? build : undefined;
  };
  const liveOf = (view: View): Build | undefined => (view.live === undefined ? undefined : view.builds.get(view.live));

  const applyOne = (batch: ViewBatch): Applied => {
    const build = find(batch.view);
    if (!build || build.retired !== undefined) return { outcome: 'gone' };
    const checkpoint = parsePosition(build.checkpoint);
    if (checkpoint === undefined) return { outcome: 'corrupt', found: build.checkpoint };
    if (checkpoint !== batch.from) return { outcome: 'elsewhere', checkpoint };
    write(build, batch.writes);
    build.checkpoint = batch.to;
    return { outcome: 'applied' };
  };

  return {
    live: async (name) => liveOf(viewOf(name))?.view,
    async builds(name) {
      const view = viewOf(name);
      for (const [generation, { retired }] of view.builds) {
        if (retired !== undefined && clock.now() - retired > grace) view.builds.delete(generation);
      }
      return [...view.builds.values()].map((build) => describe(build, view)).sort((a, b) => Number(b.live) - Number(a.live));
    },
    async begin(name, version) {
      const view = viewOf(name);
      view.generation += 1;
      const id = { name, version, generation: view.generation };
      view.builds.set(id.generation, createBuild(id));
      return id;
    },
    apply: async (batches) => batches.map(applyOne),
    async makeLive(id, expected) {
      const view = viewOf(id.name);
      const [build, live] = [find(id), liveOf(view)];
      if (live && live === build) return 'live';
      if (!build || build.retired !== undefined) return 'gone';
      if (live?.view.generation !== expected?.generation) return 'elsewhere';
      const [seen, needed] = [parsePosition(build.checkpoint), live && parsePosition(live.checkpoint)];
      if (seen && needed && comparePositions(seen, needed) < 0) return 'behind';
      if (live) live.retired = clock.now();
      view.live = id.generation;
      return 'live';
    },
    async drop(id) {
      const view = viewOf(id.name);
      if (!find(id)) return;
      view.builds.delete(id.generation);
      if (view.live === id.generation) view.live = undefined;
    },
    page: async (id, page) => pageOf(find(id), page),
    async rows(id, keys, parts) {
      const build = find(id);
      return keys.map((key) => {
        const row = build?.rows.get(key);
        return row && Object.fromEntries([...row.parts].filter(([part]) => !parts || parts.includes(part)));
      });
    },
    async *dump(id) {
      const build = find(id);
      if (!build) return;
      for (const key of [...build.rows.keys()].sort(compareKeys)) {
        const parts = [...(build.rows.get(key)?.parts ?? [])].sort(([a], [b]) => compareKeys(a, b));
        yield `row ${JSON.stringify(key)} ${JSON.stringify(parts)}`;
      }
      for (const index of [...build.indexes.keys()].sort(compareKeys)) {
        for (const { key, score } of build.indexes.get(index)?.entries() ?? [])
          yield `index ${JSON.stringify(index)} ${score} ${JSON.stringify(key)}`;
      }
    },
  };
}

function describe(build: Build, view: View): ViewBuild {
  const checkpoint: Position | undefined = parsePosition(build.checkpoint);
  return { view: build.view, checkpoint: checkpoint ?? { corrupt: build.checkpoint }, live: view.live === build.view.generation };
}

function pageOf(build: Build | undefined, { index, order, offset, limit, min, max }: Page) {
  const names = typeof index === 'string' ? [index] : index;
  const all = names
    .flatMap((name) => build?.indexes.get(name)?.entries() ?? [])
    .filter(({ score }) => score >= (min ?? Number.NEGATIVE_INFINITY) && score <= (max ?? Number.POSITIVE_INFINITY));
  all.sort(order === 'ascending' ? compareEntries : (a, b) => compareEntries(b, a));
  return { keys: all.slice(offset, offset + limit).map(({ key }) => key), total: all.length };
}
