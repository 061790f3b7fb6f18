import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createEmbeddedStore, createEmbeddedViewStore } from '../../../adapters/embedded/index.ts';
import { workspaces } from '../../../domain/kinds.ts';
import {
  auditLog,
  commandStatus,
  createAuditLogQueries,
  createCommandQueries,
  createDirectory,
  createProjectionRunner,
  directoryView,
} from '../../../projections/index.ts';
import { accepted, appeared, failed, noMetrics, parked, silentLog, stepped, succeeded } from '../../support/projections/index.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function setUp({ limit = 1_000, ttl = 14 * 86_400_000 } = {}) {
  const { events } = createEmbeddedStore({ clusterId: 'test', clock: systemClock });
  const views = createEmbeddedViewStore({ clock: systemClock });
  const view = directoryView();
  const runner = createProjectionRunner({
    events,
    views,
    projections: [auditLog({ limit, ttl }), commandStatus],
    resident: [view],
    clock: systemClock,
    log: silentLog,
    metrics: noMetrics,
  });
  await runner.start(AbortSignal.timeout(5_000));
  stops.push(() => runner.stop({ deadline: 2_000 }));
  const seen = async () => {
    const end = await events.end();
    for (const name of ['audit-log', 'command-status', 'directory']) await runner.waitFor(name, end, 5_000);
  };
  return {
    events,
    views,
    runner,
    seen,
    audit: createAuditLogQueries({ views }),
    commands: createCommandQueries({ views, events }),
    directory: createDirectory(view, runner),
  };
}

test('an entry is there with the intent, before there is an outcome', async () => {
  const { events, seen, audit } = await setUp();
  await events.append(accepted({ id: 'c1' }));
  await seen();
  const { entries, total } = await audit.list({ limit: 10, offset: 0 });
  expect(total).toBe(1);
  expect(entries).toMatchObject([{ requestId: 'c1', outcome: 'pending', success: false, error: 'no outcome yet' }]);
});

test('the outcome completes the entry, and the chain tells what happened in the order of the log', async () => {
  const { events, seen, audit, commands } = await setUp();
  for (const append of [accepted({ id: 'c1' }), stepped('c1', 1), appeared('c1'), succeeded('c1', { diff: '--- a\n+++ b\n' })])
    await events.append(append);
  await seen();
  const { entries } = await audit.list({ limit: 10, offset: 0 });
  expect(entries[0]).toMatchObject({
    requestId: 'c1',
    pattern: 'create/workspace',
    kind: 'Workspace',
    apiVersion: 'mogenius.com/v1alpha1',
    namespace: 'mogenius',
    name: 'shop',
    success: true,
    payload: { name: 'shop', displayName: 'The shop' },
    diff: '--- a\n+++ b\n',
    result: 'Resource created successfully',
    createdAt: '2026-12-01T10:00:00.000Z',
    user: {
      firstName: 'Anna',
      lastName: 'Lee',
      email: 'anna@example.org',
      source: 'app',
      apiKey: { id: 'k1', name: 'ci' },
      via: 'platform',
    },
    outcome: 'succeeded',
  });
  expect(entries[0]?.error).toBeUndefined();
  expect(entries[0]?.chain.map(({ type }) => type)).toEqual(['CommandAccepted', 'CommandStepped', 'ObjectAppeared', 'CommandSucceeded']);
  expect((await commands.chain('c1')).map(({ id }) => id)).toEqual([
    'c1/accepted/1',
    'c1/step/1/1',
    'uid-shop/ObjectAppeared/7/1',
    'c1/outcome/1',
  ]);
});

test('commands are listed by phase, newest first', async () => {
  const { events, seen, commands } = await setUp();
  for (const id of ['c1', 'c2', 'c3', 'c4']) await events.append(accepted({ id }));
  await events.append(succeeded('c1'));
  await events.append(failed('c2', 'no'));
  await events.append(parked('c3', 'died'));
  await seen();
  const of = async (phase?: 'accepted' | 'succeeded' | 'failed' | 'parked') =>
    (await commands.list({ limit: 10, offset: 0, ...(phase ? { phase } : {}) })).items.map(({ id }) => id);
  expect(await of()).toHaveLength(4);
  expect(await of('accepted')).toEqual(['c4']);
  expect(await of('succeeded')).toEqual(['c1']);
  expect(await of('parked')).toEqual(['c3']);
  expect(await commands.one('c2')).toMatchObject({ phase: 'failed', error: { code: 'CLUSTER_REFUSED', message: 'no' } });
  expect(await commands.one('c3')).toMatchObject({ phase: 'parked', error: { message: 'died' } });
  expect(await commands.one('none')).toBeUndefined();
});

test('the directory has the objects of the log', async () => {
  const { events, seen, directory } = await setUp();
  await events.append(appeared('c1', 'shop', '7'));
  await events.append(appeared('c1', 'bakery', '8'));
  await events.append(appeared('c2', 'shop', '6', 'ObjectChanged'));
  await seen();
  expect(directory.list(workspaces, 'mogenius').map(({ metadata }) => metadata.name)).toEqual(['bakery', 'shop']);
  expect(directory.get(workspaces, { name: 'shop', namespace: 'mogenius' })?.metadata.resourceVersion).toBe('7');
  expect(directory.complete(workspaces)).toBe(false);
  expect(await directory.caughtUp(await events.end(), 1_000)).toBe('current');
  expect(await directory.caughtUp('9999999999999-0', 10)).toBe('stale');
});
