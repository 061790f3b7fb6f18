import { expect, it } from 'vitest';
import { apiContract, at, failure, listAt, thing } from '../../support/kubernetes/index.ts';

const type = 'application/apply-patch+yaml';
const entry = (manager: string, operation: string, apiVersion: string, fieldsV1: object) => ({
  manager,
  operation,
  apiVersion,
  time: 'TIME',
  fieldsType: 'FieldsV1',
  fieldsV1,
});

apiContract('server-side apply', (api) => {
  const configMap = (name: string, data: object, metadata: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    data,
  });
  const apply = (manager: string, body: { metadata: { name: string } }, force = '') =>
    api.answer('PATCH', api.core(`configmaps/${body.metadata.name}?fieldManager=${manager}${force}`), { type, body });
  const applyThing = (manager: string, name: string, spec: object, more: object = {}) => {
    const made = thing(api.group, name, { spec });
    return api.answer('PATCH', api.things(`/${name}?fieldManager=${manager}`), { type, body: { ...made, metadata: { name, ...more } } });
  };

  it('creates what is not there, and owns what it names', async () => {
    const reply = await apply('one', configMap('new', { a: '1' }, { labels: { x: 'y' } }));
    expect(reply).toMatchObject({ status: 201, body: { data: { a: '1' }, metadata: { labels: { x: 'y' } } } });
    expect(at(reply, 'body.metadata.managedFields')).toEqual([
      entry('one', 'Apply', 'v1', { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:x': {} } } }),
    ]);
  });
  it('wants a field manager', async () => {
    const message = 'Required value: is required for apply patch';
    expect(await api.answer('PATCH', api.core('configmaps/anon'), { type, body: configMap('anon', {}) })).toEqual(
      failure(422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`, {
        group: 'meta.k8s.io',
        kind: 'PatchOptions',
        causes: [{ reason: 'FieldValueRequired', message, field: 'fieldManager' }],
      }),
    );
  });
  it('takes away what it no longer names', async () => {
    await apply('one', configMap('fewer', { a: '1', b: '2' }, { labels: { x: 'y' } }));
    const reply = await apply('one', configMap('fewer', { a: '1' }));
    expect(reply).toMatchObject({ status: 200 });
    expect(at(reply, 'body.data')).toEqual({ a: '1' });
    expect(at(reply, 'body.metadata.labels')).toBeUndefined();
    expect(at(reply, 'body.metadata.managedFields')).toEqual([entry('one', 'Apply', 'v1', { 'f:data': { 'f:a': {} } })]);
  });
  it('leaves what others own', async () => {
    await apply('one', configMap('others', { a: '1', b: '2' }));
    await apply('two', configMap('others', { b: '2', c: '3' }));
    const reply = await apply('one', configMap('others', { a: '1' }));
    expect(at(reply, 'body.data')).toEqual({ a: '1', b: '2', c: '3' });
  });
  it('shares a field that two name with one value', async () => {
    await apply('one', configMap('shared', { a: '1' }));
    expect(await apply('two', configMap('shared', { a: '1' }))).toMatchObject({ status: 200 });
    const reply = await api.answer('GET', api.core('configmaps/shared'));
    expect(at(reply, 'body.metadata.managedFields')).toEqual([
      { ...entry('two', 'Apply', 'v1', { 'f:data': { 'f:a': {} } }), time: undefined },
      entry('one', 'Apply', 'v1', { 'f:data': { 'f:a': {} } }),
    ]);
  });
  it('refuses to change one field of another', async () => {
    await apply('one', configMap('disputed', { a: '1' }));
    expect(await apply('two', configMap('disputed', { a: '2' }))).toEqual(
      failure(409, 'Conflict', 'Apply failed with 1 conflict: conflict with "one": .data.a', {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }],
      }),
    );
  });
  it('names every field that is disputed, and with whom', async () => {
    await api.call('POST', api.core('configmaps'), { body: configMap('many', { a: '1', b: '1' }) });
    await api.call('PATCH', api.core('configmaps/many?fieldManager=patcher'), {
      type: 'application/merge-patch+json',
      body: { data: { c: '1' } },
    });
    const reply = await apply('two', configMap('many', { a: '2', b: '2', c: '2' }));
    // Managers come in no fixed order here.
    const contract = 'conflicts with "contract" using v1:\n- .data.a\n- .data.b';
    const patcher = 'conflicts with "patcher" using v1:\n- .data.c';
    expect([`Apply failed with 3 conflicts: ${contract}\n${patcher}`, `Apply failed with 3 conflicts: ${patcher}\n${contract}`]).toContain(
      at(reply, 'body.message'),
    );
    expect(listAt(reply, 'body.details.causes')).toHaveLength(3);
    expect(listAt(reply, 'body.details.causes')).toEqual(
      expect.arrayContaining([
        { reason: 'FieldManagerConflict', message: 'conflict with "contract" using v1', field: '.data.a' },
        { reason: 'FieldManagerConflict', message: 'conflict with "contract" using v1', field: '.data.b' },
        { reason: 'FieldManagerConflict', message: 'conflict with "patcher" using v1', field: '.data.c' },
      ]),
    );
  });
  it('takes over when forced', async () => {
    await apply('one', configMap('forced', { a: '1', b: '1' }));
    const reply = await apply('two', configMap('forced', { a: '2' }), '&force=true');
    expect(reply).toMatchObject({ status: 200, body: { data: { a: '2', b: '1' } } });
    expect(at(reply, 'body.metadata.managedFields')).toEqual([
      entry('one', 'Apply', 'v1', { 'f:data': { 'f:b': {} } }),
      entry('two', 'Apply', 'v1', { 'f:data': { 'f:a': {} } }),
    ]);
  });
  it('writes nothing when it is applied again', async () => {
    const path = api.core('configmaps/again?fieldManager=one');
    const first = await api.call('PATCH', path, { type, body: configMap('again', { a: '1' }) });
    const second = await api.call('PATCH', path, { type, body: configMap('again', { a: '1' }) });
    expect(second).toMatchObject({ status: 200 });
    expect(at(second.body, 'metadata.resourceVersion')).toBe(at(first.body, 'metadata.resourceVersion'));
  });
  it('loses a field that another updates', async () => {
    await apply('one', configMap('lost', { a: '1', b: '1' }));
    const { body } = await api.call('PATCH', api.core('configmaps/lost'), {
      type: 'application/merge-patch+json',
      body: { data: { a: '2' } },
    });
    expect(api.tidy(at(body, 'metadata.managedFields'))).toEqual([
      entry('one', 'Apply', 'v1', { 'f:data': { 'f:b': {} } }),
      entry('contract', 'Update', 'v1', { 'f:data': { 'f:a': {} } }),
    ]);
  });
  it('takes YAML', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n';
    expect(await api.call('PATCH', api.core('configmaps/yaml?fieldManager=one'), { type, text })).toMatchObject({
      status: 201,
      body: { data: { a: '1' } },
    });
  });
  it('stores nothing in a dry run', async () => {
    expect(await apply('one', configMap('dry', { a: '1' }), '&dryRun=All')).toMatchObject({ status: 201 });
    expect(await api.call('GET', api.core('configmaps/dry'))).toMatchObject({ status: 404 });
  });
  it('owns lists by key, by value and as one, and maps by key', async () => {
    const env = [{ name: 'a', value: '1' }];
    const spec = { size: 1, any: { x: { y: 1 } }, map: { q: '1' }, env, set: ['q'], tags: ['t'], whole: { a: '1' }, inner: { a: '1' } };
    const reply = await applyThing('one', 'shapes', spec, { finalizers: ['example.com/x'] });
    expect(at(reply, 'body.metadata.managedFields')).toEqual([
      entry('one', 'Apply', 'GROUP/v1', {
        'f:metadata': { 'f:finalizers': { 'v:"example.com/x"': {} } },
        'f:spec': {
          'f:any': { 'f:x': { '.': {}, 'f:y': {} } },
          'f:env': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
          'f:inner': { 'f:a': {} },
          'f:map': { 'f:q': {} },
          'f:set': { 'v:"q"': {} },
          'f:size': {},
          'f:tags': {},
          'f:whole': {},
        },
      }),
    ]);
    expect(at(await applyThing('one', 'shapes', { size: 1 }), 'body.spec')).toEqual({ size: 1, color: 'red' });
    await api.call('PATCH', api.things('/shapes'), { type: 'application/merge-patch+json', body: { metadata: { finalizers: null } } });
  });
  it('merges items of keyed lists and sets of two managers', async () => {
    await applyThing('one', 'merged', { size: 1, env: [{ name: 'a', value: '1' }], set: ['x'] });
    const reply = await applyThing('two', 'merged', { size: 1, env: [{ name: 'b', value: '2' }], set: ['y'] });
    expect(at(reply, 'body.spec')).toEqual({
      size: 1,
      color: 'red',
      env: [
        { name: 'a', value: '1' },
        { name: 'b', value: '2' },
      ],
      set: ['x', 'y'],
    });
    const fewer = await applyThing('one', 'merged', { size: 1 });
    expect(at(fewer, 'body.spec')).toEqual({ size: 1, color: 'red', env: [{ name: 'b', value: '2' }], set: ['y'] });
  });
  it('names an item of a list in a conflict', async () => {
    await applyThing('one', 'item', { size: 1, env: [{ name: 'a', value: '1' }] });
    expect(await applyThing('two', 'item', { size: 1, env: [{ name: 'a', value: '2' }] })).toEqual(
      failure(409, 'Conflict', 'Apply failed with 1 conflict: conflict with "one": .spec.env[name="a"].value', {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.env[name="a"].value' }],
      }),
    );
  });
  it('checks what it applies', async () => {
    expect(await applyThing('one', 'invalid', { size: 0 })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ field: 'spec.size' }] } },
    });
  });
  it('applies status under its own entry', async () => {
    await applyThing('one', 'status', { size: 1 });
    const body = { ...thing(api.group, 'status', { status: { phase: 'on' } }) };
    const reply = await api.answer('PATCH', api.things('/status/status?fieldManager=one'), { type, body });
    expect(reply).toMatchObject({ status: 200, body: { spec: { size: 1 }, status: { phase: 'on' } } });
    expect(at(reply, 'body.metadata.managedFields')).toEqual([
      entry('one', 'Apply', 'GROUP/v1', { 'f:spec': { 'f:size': {} } }),
      { ...entry('one', 'Apply', 'GROUP/v1', { 'f:status': { 'f:phase': {} } }), subresource: 'status' },
    ]);
  });
});
