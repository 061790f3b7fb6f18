import { describe, expect, test } from 'vitest';
import { createEmbeddedViewStore } from '../../../adapters/embedded/index.ts';
import type { RecordedEvent } from '../../../domain/event/index.ts';
import { origin } from '../../../domain/event/index.ts';
import { auditLog, createAuditLogQueries } from '../../../projections/index.ts';
import { createCollector } from '../../../projections/projection.ts';
import { createFakeClock } from '../../support/fake-clock/index.ts';
import { accepted, appeared, discarded, failed, parked, recorded, retried, succeeded } from '../../support/projections/commands.ts';

const day = 86_400_000;

/** The audit log of these events, folded in one batch. */
async function given(events: readonly RecordedEvent[], { limit = 1_000, ttl = 14 * day } = {}) {
  const views = createEmbeddedViewStore({ clock: createFakeClock() });
  const view = await views.begin('audit-log', 1);
  const collector = createCollector();
  for (const event of events) auditLog({ limit, ttl }).folds.get(event.type)?.(collector, event);
  await views.apply([{ view, from: origin, to: events.at(-1)?.position ?? origin, writes: collector.take() }]);
  await views.makeLive(view, undefined);
  return createAuditLogQueries({ views });
}

const all = { limit: 100, offset: 0 };
const ids = async (queries: Awaited<ReturnType<typeof given>>, query: Partial<Parameters<typeof queries.list>[0]> = {}) => {
  const { entries, total } = await queries.list({ ...all, ...query });
  return { ids: entries.map(({ requestId }) => requestId), total };
};
const at = (ms: number): string => new Date(1_796_119_200_000 + ms).toISOString();

describe('what is listed', () => {
  test('commands that are not audited are not', async () => {
    const audit = await given(recorded([accepted({ id: 'a', audited: false }), succeeded('a'), accepted({ id: 'b' })]));
    expect(await ids(audit)).toEqual({ ids: ['b'], total: 1 });
    expect(await audit.one('a')).toBeUndefined();
  });

  test('without a view yet it is not empty but unknown', async () => {
    const audit = createAuditLogQueries({ views: createEmbeddedViewStore({ clock: createFakeClock() }) });
    await expect(audit.list(all)).rejects.toThrow('the view audit-log has not caught up yet');
  });

  test('newest first by when it came in; of one millisecond in the order of the log', async () => {
    const audit = await given(
      recorded([
        accepted({ id: 'late', receivedAt: at(9) }),
        accepted({ id: 'z', receivedAt: at(1) }),
        accepted({ id: 'm', receivedAt: at(1) }),
        accepted({ id: 'a', receivedAt: at(1) }),
      ]),
    );
    expect((await ids(audit)).ids).toEqual(['late', 'a', 'm', 'z']);
  });

  test('pages have the total of all; an offset beyond the end is an empty page, a negative one the first', async () => {
    const audit = await given(recorded(['a', 'b', 'c', 'd', 'e'].map((id, i) => accepted({ id, receivedAt: at(i) }))));
    expect(await ids(audit, { limit: 2, offset: 1 })).toEqual({ ids: ['d', 'c'], total: 5 });
    expect(await ids(audit, { limit: 2, offset: 100_000 })).toEqual({ ids: [], total: 5 });
    expect(await ids(audit, { limit: 2, offset: -3 })).toEqual({ ids: ['e', 'd'], total: 5 });
  });

  test('a bucket keeps the newest of its limit, and an outcome that comes later brings no entry back', async () => {
    const audit = await given(
      recorded([
        ...['a', 'b', 'c'].map((id, i) => accepted({ id, receivedAt: at(i) })),
        accepted({ id: 'other', name: 'bakery', receivedAt: at(4) }),
        accepted({ id: 'd', receivedAt: at(5) }),
        succeeded('a'),
      ]),
      { limit: 2 },
    );
    expect(await ids(audit)).toEqual({ ids: ['d', 'other', 'c'], total: 3 });
  });

  test('a limit of nothing is a hundred', async () => {
    const audit = await given(recorded(Array.from({ length: 130 }, (_, i) => accepted({ id: `c${i}`, receivedAt: at(i) }))), { limit: 0 });
    expect((await ids(audit)).total).toBe(100);
  });

  test('entries past their time go with the next one that comes', async () => {
    const old = recorded([accepted({ id: 'old', receivedAt: at(0) })]);
    const fresh = recorded([accepted({ id: 'new', receivedAt: at(2 * day) })], 1_796_119_200_000 + 2 * day);
    expect(await ids(await given([...old, ...fresh], { ttl: day }))).toEqual({ ids: ['new'], total: 1 });
  });
});

describe('what belongs to a workspace', () => {
  const events = recorded([
    accepted({ id: 'shop', namespace: 'shop', receivedAt: at(1) }),
    accepted({ id: 'bakery', namespace: 'bakery', receivedAt: at(2) }),
    accepted({ id: 'cluster', namespace: '', name: '', pattern: 'UpgradeK8sManager', receivedAt: at(3) }),
    accepted({ id: 'node', namespace: '', name: 'node-1', receivedAt: at(4) }),
    accepted({ id: 'chat', namespace: 'ai-chat', name: 'anna@example.org', pattern: 'ai/chat', workspace: 'w', receivedAt: at(5) }),
    accepted({ id: 'other-chat', namespace: 'ai-chat', name: 'anna@example.org', pattern: 'ai/chat', workspace: 'v', receivedAt: at(6) }),
  ]);

  test('entries of its namespaces and its chat; without a workspace all there are, those of the cluster too', async () => {
    const audit = await given(events);
    expect(await ids(audit, { namespaces: ['shop', 'bakery', 'shop'], workspace: 'w' })).toEqual({
      ids: ['chat', 'bakery', 'shop'],
      total: 3,
    });
    expect(await ids(audit, { namespaces: ['shop'] })).toEqual({ ids: ['shop'], total: 1 });
    expect((await ids(audit)).ids).toEqual(['other-chat', 'chat', 'node', 'cluster', 'bakery', 'shop']);
  });

  test('no namespaces are no entries, never all', async () => {
    const audit = await given(events);
    expect(await ids(audit, { namespaces: [] })).toEqual({ ids: [], total: 0 });
    expect(await ids(audit, { namespaces: [''] })).toEqual({ ids: [], total: 0 });
    expect(await ids(audit, { namespaces: ['_cluster', '_', 'ai-chat'] })).toEqual({ ids: [], total: 0 });
  });
});

describe('search', () => {
  const events = recorded([
    accepted({ id: 'a', name: 'Shop-Front', namespace: 'north', pattern: 'create/workspace', receivedAt: at(1) }),
    accepted({
      id: 'b',
      name: 'b',
      namespace: 'south',
      pattern: 'delete/user',
      payload: { targetName: 'Bakery', secretive: 'needle' },
      workspace: 'Wide',
      receivedAt: at(2),
    }),
    succeeded('b', { attribution: { kind: 'Renamed', name: 'later-name', namespace: 'south' } }),
  ]);

  test.each([
    ['shop-fr', ['a']],
    ['NORTH', ['a']],
    ['delete/', ['b']],
    ['bakery', ['b']],
    ['wide', ['b']],
    ['anna@', ['b', 'a']],
    ['LEE', ['b', 'a']],
    ['workspace', ['b', 'a']],
    ['later-name', ['b']],
    ['needle', []],
    ['d1', []],
  ])('%s', async (search, expected) => {
    expect(await ids(await given(events), { search })).toEqual({ ids: expected, total: expected.length });
  });

  test('pages of what was found', async () => {
    const audit = await given(events);
    expect(await ids(audit, { search: 'anna', limit: 1, offset: 1 })).toEqual({ ids: ['a'], total: 2 });
    expect(await ids(audit, { search: 'anna', namespaces: ['north'] })).toEqual({ ids: ['a'], total: 1 });
  });
});

describe('an entry', () => {
  const entry = async (...events: readonly RecordedEvent[]) => (await given(events)).one('c');

  test('of a failure has the error and no diff', async () => {
    expect(await entry(...recorded([accepted({ id: 'c' }), failed('c')]))).toMatchObject({
      success: false,
      outcome: 'failed',
      error: 'workspaces "shop" already exists',
    });
  });

  test('of a parked command is pending and says why, until somebody retries or discards it', async () => {
    const events = [accepted({ id: 'c' }), parked('c', 'it was begun 5 times')];
    expect(await entry(...recorded(events))).toMatchObject({ outcome: 'pending', success: false, error: 'parked: it was begun 5 times' });
    expect(await entry(...recorded([...events, retried('c')]))).toMatchObject({ outcome: 'pending', error: 'no outcome yet' });
    expect(await entry(...recorded([...events, discarded('c', 'anna')]))).toMatchObject({
      outcome: 'abandoned',
      error: 'discarded by anna',
    });
  });

  test('of a result that is null has it', async () => {
    expect(await entry(...recorded([accepted({ id: 'c' }), succeeded('c', { result: null })]))).toMatchObject({
      success: true,
      result: null,
    });
  });

  test('has the keys of the wire in their order, and no others but ours', async () => {
    const found = await entry(
      ...recorded([
        accepted({ id: 'c', workspace: 'w' }),
        succeeded('c', { diff: 'd', attribution: { kind: 'K', apiVersion: 'v1', namespace: 'n', name: 'x' } }),
      ]),
    );
    expect(Object.keys(found ?? {})).toEqual([
      'requestId',
      'pattern',
      'kind',
      'apiVersion',
      'namespace',
      'name',
      'success',
      'payload',
      'diff',
      'result',
      'createdAt',
      'user',
      'workspace',
      'outcome',
      'chain',
    ]);
    expect(found).toMatchObject({ kind: 'K', namespace: 'n', name: 'x' });
  });

  test('counts the first change of an object as its own, and none of those that keep its mark later', async () => {
    const found = await entry(
      ...recorded([
        accepted({ id: 'c' }),
        appeared('c', 'shop', '7'),
        succeeded('c'),
        ...['8', '9', '10'].map((version) => appeared('c', 'shop', version, 'ObjectChanged')),
      ]),
    );
    expect(found?.chain.map(({ id, causationid }) => [id, causationid])).toEqual([
      ['c/accepted/1', undefined],
      ['uid-shop/ObjectAppeared/7/1', 'c/accepted/1'],
      ['c/outcome/1', 'c/accepted/1'],
      ['uid-shop/ObjectChanged/8/1', 'c/accepted/1'],
    ]);
  });

  test('of a name with anything in it is filed and found', async () => {
    const audit = await given(recorded([accepted({ id: 'c', namespace: 'a\u0001b\nc', name: 'x\0:y' })]));
    expect(await ids(audit, { namespaces: ['a\u0001b\nc'] })).toEqual({ ids: ['c'], total: 1 });
  });
});
