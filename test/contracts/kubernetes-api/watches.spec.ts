import { expect, it } from 'vitest';
import { apiContract, at, failure, textAt, thing, type WatchEvent } from '../../support/kubernetes/index.ts';

const merge = 'application/merge-patch+json';
const short = (event: WatchEvent | undefined) => [event?.type, textAt(event?.object, 'metadata.name')];

apiContract('watches', (api) => {
  const make = (name: string, labels: object = {}) =>
    api.call('POST', api.core('configmaps'), { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } } });
  const patch = (name: string, body: object) => api.call('PATCH', api.core(`configmaps/${name}`), { type: merge, body });
  const remove = (name: string) => api.call('DELETE', api.core(`configmaps/${name}`));
  const watch = (query: Record<string, string>) => api.watch(api.core(`configmaps?${new URLSearchParams({ watch: '1', ...query })}`));
  /** The version from which nothing has happened yet. */
  const now = async () => textAt((await api.call('GET', api.core('configmaps?limit=1'))).body, 'metadata.resourceVersion');

  it('shows what comes, changes and goes after a version', async () => {
    const events = await watch({ resourceVersion: await now() });
    const made = await make('one');
    const changed = await patch('one', { data: { a: '1' } });
    await remove('one');
    const [added, modified, deleted] = [await events.next(), await events.next(), await events.next()];
    expect([short(added), short(modified), short(deleted)]).toEqual([
      ['ADDED', 'one'],
      ['MODIFIED', 'one'],
      ['DELETED', 'one'],
    ]);
    expect(added?.object).toEqual(made.body);
    expect(modified?.object).toEqual(changed.body);
    expect(at(deleted?.object, 'data')).toEqual({ a: '1' });
    expect(Number(textAt(deleted?.object, 'metadata.resourceVersion'))).toBeGreaterThan(
      Number(textAt(changed.body, 'metadata.resourceVersion')),
    );
    events.close();
  });
  it('begins with what is there when no version is named', async () => {
    await make('there', { first: 'yes' });
    for (const version of ['', '0']) {
      const events = await watch({ labelSelector: 'first=yes', resourceVersion: version });
      expect(short(await events.next())).toEqual(['ADDED', 'there']);
      events.close();
    }
    await remove('there');
  });
  it('continues from any version it still knows', async () => {
    const from = await now();
    const made = await make('past');
    await patch('past', { data: { a: '1' } });
    await remove('past');
    const events = await watch({ resourceVersion: from, fieldSelector: 'metadata.name=past' });
    expect([short(await events.next()), short(await events.next()), short(await events.next())]).toEqual([
      ['ADDED', 'past'],
      ['MODIFIED', 'past'],
      ['DELETED', 'past'],
    ]);
    const later = await watch({ resourceVersion: textAt(made.body, 'metadata.resourceVersion'), fieldSelector: 'metadata.name=past' });
    expect(short(await later.next())).toEqual(['MODIFIED', 'past']);
    events.close();
    later.close();
  });
  it('shows who enters and leaves the selection', async () => {
    const events = await watch({ resourceVersion: await now(), labelSelector: 'in=yes' });
    await make('moves');
    await patch('moves', { metadata: { labels: { in: 'yes' } } });
    await patch('moves', { data: { a: '1' } });
    const out = await patch('moves', { metadata: { labels: { in: 'no' } } });
    await remove('moves');
    await make('end', { in: 'yes' });
    const seen = [await events.next(), await events.next(), await events.next(), await events.next()];
    expect(seen.map(short)).toEqual([
      ['ADDED', 'moves'],
      ['MODIFIED', 'moves'],
      ['DELETED', 'moves'],
      ['ADDED', 'end'],
    ]);
    expect(at(seen[2]?.object, 'metadata.labels')).toEqual({ in: 'yes' });
    expect(at(seen[2]?.object, 'metadata.resourceVersion')).toBe(at(out.body, 'metadata.resourceVersion'));
    events.close();
    await remove('end');
  });
  it('watches one object by its name', async () => {
    const events = await watch({ resourceVersion: await now(), fieldSelector: 'metadata.name=only' });
    await make('another');
    await make('only');
    expect(short(await events.next())).toEqual(['ADDED', 'only']);
    events.close();
    await remove('another');
    await remove('only');
  });
  it('watches a custom kind over all namespaces', async () => {
    const version = textAt((await api.call('GET', api.things())).body, 'metadata.resourceVersion');
    const events = await api.watch(`/apis/${api.group}/v1/things?watch=true&resourceVersion=${version}`);
    await api.call('POST', api.things(), { body: thing(api.group, 'seen') });
    expect((await events.next())?.object).toMatchObject({
      apiVersion: `${api.group}/v1`,
      kind: 'Thing',
      metadata: { name: 'seen', namespace: api.namespace },
    });
    await api.call('PATCH', api.things('/seen/status'), { type: merge, body: { status: { phase: 'on' } } });
    expect(await events.next()).toMatchObject({ type: 'MODIFIED', object: { status: { phase: 'on' } } });
    events.close();
  });
  it('ends after timeoutSeconds', async () => {
    const events = await watch({ resourceVersion: await now(), timeoutSeconds: '1' });
    expect(await events.rest()).toEqual([]);
  });
  it('sends a bookmark before it ends, past what it did not show', async () => {
    const query = { timeoutSeconds: '5', allowWatchBookmarks: 'true', labelSelector: 'shown=never' };
    const events = await watch({ resourceVersion: await now(), ...query });
    const hidden = await make('hidden');
    const rest = await events.rest();
    expect(rest.map((event) => event.type)).toEqual(rest.map(() => 'BOOKMARK'));
    const [bookmark] = rest;
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1' } });
    expect(Object.keys(Object(bookmark?.object)).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    const version = (object: unknown) => Number(textAt(object, 'metadata.resourceVersion'));
    expect(version(bookmark?.object)).toBeGreaterThanOrEqual(version(hidden.body));
    await remove('hidden');
  });
  it('sends no bookmarks unasked', async () => {
    const events = await watch({ resourceVersion: await now(), timeoutSeconds: '3' });
    expect(await events.rest()).toEqual([]);
  });
  it('marks the end of what was there', async () => {
    await make('initial', { kind: 'initial' });
    const query = {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      labelSelector: 'kind=initial',
    };
    const events = await watch(query);
    expect(short(await events.next())).toEqual(['ADDED', 'initial']);
    expect(await events.next()).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    events.close();
    await remove('initial');
  });
  it('tells that a version is too old', async () => {
    const events = await watch({ resourceVersion: '1' });
    const rest = await events.rest();
    expect(rest).toEqual([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/),
          reason: 'Expired',
          code: 410,
        },
      },
    ]);
  });
  it('refuses a version that is none', async () => {
    expect(await api.answer('GET', api.core('configmaps?watch=1&resourceVersion=x'))).toEqual(
      failure(500, '', 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'),
    );
  });
  it('refuses initial events without their match', async () => {
    const message = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    expect(await api.answer('GET', api.core('configmaps?watch=1&sendInitialEvents=true'))).toEqual(
      failure(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ${message}`, {
        group: 'meta.k8s.io',
        kind: 'ListOptions',
        causes: [{ reason: 'FieldValueForbidden', message, field: 'resourceVersionMatch' }],
      }),
    );
  });
  it('shows a marked object before it goes', async () => {
    await api.call('POST', api.core('configmaps'), {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', finalizers: ['example.com/hold'] } },
    });
    const events = await watch({ resourceVersion: await now(), fieldSelector: 'metadata.name=held' });
    await remove('held');
    const marked = await events.next();
    expect(short(marked)).toEqual(['MODIFIED', 'held']);
    expect(textAt(marked?.object, 'metadata.deletionTimestamp')).not.toBe('');
    await patch('held', { metadata: { finalizers: null } });
    expect(short(await events.next())).toEqual(['DELETED', 'held']);
    events.close();
  });
});
