import { expect, test } from 'vitest';
import { createEmbeddedStore, createEmbeddedViewStore } from '../../../adapters/embedded/index.ts';
import { workspaces } from '../../../domain/kinds.ts';
import type { EventStore, ViewStore } from '../../../domain/ports/index.ts';
import { createDirectory, createProjectionRunner, directoryView } from '../../../projections/index.ts';
import { appeared, noMetrics, silentLog } from '../../support/projections/index.ts';
import { systemClock } from '../../support/valkey/index.ts';

function stores() {
  const { events } = createEmbeddedStore({ clusterId: 'test', clock: systemClock });
  return { events, views: createEmbeddedViewStore({ clock: systemClock }) };
}

async function start(given: { readonly events: EventStore; readonly views: ViewStore }) {
  const view = directoryView();
  const runner = createProjectionRunner({
    ...given,
    projections: [],
    resident: [view],
    clock: systemClock,
    log: silentLog,
    metrics: noMetrics,
  });
  await runner.start(AbortSignal.timeout(5_000));
  return { runner, directory: createDirectory(view, runner) };
}

const namesIn = (directory: ReturnType<typeof createDirectory>) => directory.list(workspaces).map(({ metadata }) => metadata.name);

const vanished = (name: string, uid = `uid-${name}`) => {
  const [event] = appeared('c', name).events;
  if (!event || typeof event.data !== 'object' || event.data === null) throw new Error('no event');
  return { ...appeared('c', name, 'gone'), events: [{ ...event, type: 'ObjectVanished', data: { ...event.data, uid } }] };
};

test('a start waits until what the log holds is seen', async () => {
  const given = stores();
  for (let n = 0; n < 2_500; n++) await given.events.append(appeared('c', `w${n}`, '1'));
  const { runner, directory } = await start(given);
  expect(directory.list(workspaces)).toHaveLength(2_500);
  expect(await runner.list()).toMatchObject([
    { name: 'directory', kind: 'resident', lag: 0, state: 'running', position: await given.events.end() },
  ]);
  await runner.stop({ deadline: 1_000 });
});

test('objects that are gone leave; one of another uid under the name stays', async () => {
  const given = stores();
  for (const append of [appeared('c', 'a'), appeared('c', 'b'), vanished('a'), vanished('b', 'another')]) await given.events.append(append);
  const { runner, directory } = await start(given);
  expect(namesIn(directory)).toEqual(['b']);
  await runner.stop({ deadline: 1_000 });
});

test('a snapshot is stored at the stop, and the next start reads the log only behind it', async () => {
  const given = stores();
  for (const name of ['a', 'b']) await given.events.append(appeared('c', name));
  await given.events.append({
    stream: 'object/mogenius.com/workspaces/_/_',
    expected: 'any',
    id: 'listed',
    events: [
      {
        type: 'KindListed',
        schema: 1,
        time: '2026-12-01T10:00:00.000Z',
        data: { apiVersion: 'mogenius.com/v1alpha1', kind: 'Workspace', plural: 'workspaces', objects: 2 },
      },
    ],
  });
  const first = await start(given);
  await first.runner.stop({ deadline: 2_000 });
  await given.events.append(appeared('c', 'c'));

  const read: string[] = [];
  const counting: EventStore = {
    ...given.events,
    async *log(after, how) {
      read.push(after);
      yield* given.events.log(after, how);
    },
  };
  const { runner, directory } = await start({ events: counting, views: given.views });
  expect(namesIn(directory)).toEqual(['a', 'b', 'c']);
  expect(directory.complete(workspaces)).toBe(true);
  expect(read).not.toContain('0-0');
  await runner.stop({ deadline: 1_000 });
});

test('a rebuild gives the same, and what came meanwhile is in it; a comparison says so', async () => {
  const given = stores();
  for (let n = 0; n < 50; n++) await given.events.append(appeared('c', `w${n}`, '1'));
  const { runner, directory } = await start(given);
  const rebuild = runner.rebuild('directory', { signal: AbortSignal.timeout(5_000) });
  await given.events.append(appeared('c', 'late'));
  expect(await rebuild).toMatchObject({ generation: 2, state: 'running' });
  expect(await directory.caughtUp(await given.events.end(), 1_000)).toBe('current');
  expect(directory.list(workspaces)).toHaveLength(51);
  expect(await runner.verify('directory', { signal: AbortSignal.timeout(5_000) })).toEqual({ equal: true, rows: 52, differences: [] });
  await runner.stop({ deadline: 1_000 });
});
