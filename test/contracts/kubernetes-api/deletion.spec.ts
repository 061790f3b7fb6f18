import { expect, it } from 'vitest';
import { apiContract, at, failure, listAt, namesIn, textAt, thing } from '../../support/kubernetes/index.ts';

const merge = 'application/merge-patch+json';

apiContract('deletion', (api) => {
  const make = (name: string, metadata: object = {}) =>
    api.call('POST', api.core('configmaps'), { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } } });
  const remove = (name: string, body?: object, query = '') =>
    api.answer(
      'DELETE',
      api.core(`configmaps/${name}${query}`),
      body === undefined ? {} : { body: { apiVersion: 'v1', kind: 'DeleteOptions', ...body } },
    );
  const exists = async (path: string) => (await api.call('GET', path)).status === 200;
  const success = (details: object) => ({
    status: 200,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details },
  });

  it('says what is gone', async () => {
    await make('gone');
    expect(await remove('gone')).toEqual(success({ name: 'gone', kind: 'configmaps', uid: 'UID' }));
    expect(await remove('gone')).toEqual(failure(404, 'NotFound', 'configmaps "gone" not found', { name: 'gone', kind: 'configmaps' }));
  });
  it('says what is gone of a custom kind', async () => {
    await api.call('POST', api.things(), { body: thing(api.group, 'gone') });
    expect(await api.answer('DELETE', api.things('/gone'))).toEqual(success({ name: 'gone', group: 'GROUP', kind: 'things', uid: 'UID' }));
  });
  it('leaves another object under the name', async () => {
    const uid = textAt((await make('other')).body, 'metadata.uid');
    const why = `the UID in the precondition (xx) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    expect(await remove('other', { preconditions: { uid: 'xx' } })).toEqual(
      failure(409, 'Conflict', `Operation cannot be fulfilled on ConfigMap "other": ${why}`, { name: 'other', kind: 'ConfigMap' }),
    );
    expect(await remove('other', { preconditions: { uid } })).toMatchObject({ status: 200 });
  });
  it('leaves another version of the object', async () => {
    const version = textAt((await make('moved')).body, 'metadata.resourceVersion');
    const why = `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${version}). The object might have been modified`;
    expect(await remove('moved', { preconditions: { resourceVersion: '1' } })).toEqual(
      failure(409, 'Conflict', `Operation cannot be fulfilled on ConfigMap "moved": ${why}`, { name: 'moved', kind: 'ConfigMap' }),
    );
    expect(await remove('moved', { preconditions: { resourceVersion: version } })).toMatchObject({ status: 200 });
  });
  it('names the group of a custom kind in a precondition', async () => {
    await api.call('POST', api.things(), { body: thing(api.group, 'other') });
    const reply = await api.answer('DELETE', api.things('/other'), { body: { preconditions: { uid: 'xx' } } });
    expect(reply).toMatchObject({
      status: 409,
      body: {
        message: expect.stringMatching(/^Operation cannot be fulfilled on Thing\.GROUP "other": the UID/),
        details: { name: 'other', group: 'GROUP', kind: 'Thing' },
      },
    });
  });
  it('removes nothing in a dry run', async () => {
    await make('dry');
    expect(await remove('dry', undefined, '?dryRun=All')).toMatchObject({ status: 200 });
    expect(await exists(api.core('configmaps/dry'))).toBe(true);
  });
  it('only marks what has finalizers', async () => {
    await make('held', { finalizers: ['example.com/hold'] });
    const marked = await remove('held');
    expect(marked).toMatchObject({
      status: 200,
      body: { kind: 'ConfigMap', metadata: { deletionTimestamp: 'TIME', deletionGracePeriodSeconds: 0 } },
    });
    const version = at((await api.call('GET', api.core('configmaps/held'))).body, 'metadata.resourceVersion');
    await remove('held');
    expect(at((await api.call('GET', api.core('configmaps/held'))).body, 'metadata.resourceVersion')).toBe(version);
    const released = await api.call('PATCH', api.core('configmaps/held'), { type: merge, body: { metadata: { finalizers: null } } });
    expect(released.status).toBe(200);
    expect(await exists(api.core('configmaps/held'))).toBe(false);
  });
  it('raises the generation when it marks', async () => {
    await api.call('POST', api.things(), {
      body: { ...thing(api.group, 'held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } },
    });
    expect(await api.answer('DELETE', api.things('/held'))).toMatchObject({ body: { metadata: { generation: 2 } } });
    await api.call('PATCH', api.things('/held'), { type: merge, body: { metadata: { finalizers: null } } });
    expect(await exists(api.things('/held'))).toBe(false);
  });
  it('takes no new finalizer when it is marked', async () => {
    await make('late', { finalizers: ['example.com/hold'] });
    await remove('late');
    const message =
      'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/new"}';
    const reply = await api.call('PATCH', api.core('configmaps/late'), {
      type: merge,
      body: { metadata: { finalizers: ['example.com/hold', 'example.com/new'] } },
    });
    expect(reply).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: `ConfigMap "late" is invalid: metadata.finalizers: ${message}` },
    });
    await api.call('PATCH', api.core('configmaps/late'), { type: merge, body: { metadata: { finalizers: null } } });
  });
  it('refuses a propagation it does not know', async () => {
    await make('policy');
    const message = 'Unsupported value: "Nope": supported values: "Foreground", "Background", "Orphan", "nil"';
    expect(await remove('policy', undefined, '?propagationPolicy=Nope')).toEqual(
      failure(422, 'Invalid', `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: ${message}`, {
        group: 'meta.k8s.io',
        kind: 'DeleteOptions',
        causes: [{ reason: 'FieldValueNotSupported', message, field: 'propagationPolicy' }],
      }),
    );
  });
  const family = async (name: string) => {
    const owner = await make(`${name}-owner`);
    const reference = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: `${name}-owner`,
      uid: textAt(owner.body, 'metadata.uid'),
      blockOwnerDeletion: true,
    };
    await make(`${name}-child`, { ownerReferences: [reference] });
  };
  it('waits for dependents in the foreground', async () => {
    await family('fore');
    expect(await remove('fore-owner', { propagationPolicy: 'Foreground' })).toMatchObject({
      status: 200,
      body: { kind: 'ConfigMap', metadata: { finalizers: ['foregroundDeletion'], deletionTimestamp: 'TIME' } },
    });
    await api.until(async () => !(await exists(api.core('configmaps/fore-owner'))));
    expect(await exists(api.core('configmaps/fore-child'))).toBe(false);
  });
  it('waits in the foreground for a dependent that is held', async () => {
    const owner = textAt((await make('patient')).body, 'metadata.uid');
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'patient', uid: owner, blockOwnerDeletion: true };
    await make('patient-child', { ownerReferences: [reference], finalizers: ['example.com/hold'] });
    await remove('patient', { propagationPolicy: 'Foreground' });
    const child = async () => (await api.call('GET', api.core('configmaps/patient-child'))).body;
    await api.until(async () => textAt(await child(), 'metadata.deletionTimestamp') !== '');
    expect(await exists(api.core('configmaps/patient'))).toBe(true);
    await api.call('PATCH', api.core('configmaps/patient-child'), { type: merge, body: { metadata: { finalizers: null } } });
    await api.until(async () => !(await exists(api.core('configmaps/patient'))));
  });
  it('leaves dependents as orphans', async () => {
    await family('orphan');
    expect(await remove('orphan-owner', { propagationPolicy: 'Orphan' })).toMatchObject({
      status: 200,
      body: { metadata: { finalizers: ['orphan'] } },
    });
    await api.until(async () => !(await exists(api.core('configmaps/orphan-owner'))));
    const { status, body } = await api.call('GET', api.core('configmaps/orphan-child'));
    expect([status, at(body, 'metadata.ownerReferences')]).toEqual([200, undefined]);
  });
  it('takes dependents along in the background', async () => {
    await family('back');
    expect(await remove('back-owner', { propagationPolicy: 'Background' })).toEqual(
      success({ name: 'back-owner', kind: 'configmaps', uid: 'UID' }),
    );
    await api.until(async () => !(await exists(api.core('configmaps/back-child'))));
  });
  it('deletes a selection, and says what it was', async () => {
    await make('sweep-1', { labels: { sweep: 'yes' } });
    await make('sweep-2', { labels: { sweep: 'yes' } });
    await make('sweep-3', { labels: { sweep: 'no' } });
    const { status, body } = await api.call('DELETE', api.core('configmaps?labelSelector=sweep%3Dyes'));
    expect([status, at(body, 'kind'), [...namesIn(body)].sort()]).toEqual([200, 'ConfigMapList', ['sweep-1', 'sweep-2']]);
    expect(namesIn((await api.call('GET', api.core('configmaps?labelSelector=sweep'))).body)).toEqual(['sweep-3']);
  });
  it('empties a namespace, then takes it away', async () => {
    const name = `${api.namespace}-b`;
    await api.call('POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
    const inside = `/api/v1/namespaces/${name}/secrets`;
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'held', finalizers: ['example.com/hold'] } };
    await api.call('POST', inside, { body });
    await api.call('POST', inside, { body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'free' } } });
    expect(await api.answer('DELETE', `/api/v1/namespaces/${name}`)).toMatchObject({
      status: 200,
      body: {
        kind: 'Namespace',
        metadata: { deletionTimestamp: 'TIME' },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Terminating' },
      },
    });
    await api.until(async () => !(await exists(`${inside}/free`)));
    const why = `unable to create new content in namespace ${name} because it is being terminated`;
    const refused = await api.call('POST', inside, { body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'late' } } });
    expect(refused).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message: `secrets "late" is forbidden: ${why}`,
        details: {
          name: 'late',
          kind: 'secrets',
          causes: [{ reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' }],
        },
      },
    });
    await api.until(async () => textAt((await api.call('GET', `${inside}/held`)).body, 'metadata.deletionTimestamp') !== '');
    await api.call('PATCH', `${inside}/held`, { type: merge, body: { metadata: { finalizers: null } } });
    await api.until(async () => !(await exists(`/api/v1/namespaces/${name}`)));
  });
  it('labels a namespace with its name', async () => {
    const { body } = await api.call('GET', `/api/v1/namespaces/${api.namespace}`);
    expect(api.tidy(body)).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'NAMESPACE' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    expect(listAt(body, 'metadata.managedFields')).toHaveLength(1);
  });
});
