import { expect, it } from 'vitest';
import { apiContract, at, badRequest, failure, textAt, thing } from '../../support/kubernetes/index.ts';

const merge = 'application/merge-patch+json';
const json = 'application/json-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const rejected = failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

apiContract('patches', (api) => {
  const make = (name: string, data: object = { a: '1' }) =>
    api.call('POST', api.core('configmaps'), {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { x: 'y' } }, data },
    });
  const patch = (name: string, type: string, body: unknown, query = '') =>
    api.answer('PATCH', api.core(`configmaps/${name}${query}`), { type, body });

  it('merges, and removes what is null', async () => {
    await make('merged', { a: '1', b: '2' });
    const reply = await patch('merged', merge, {
      data: { a: null, c: '3' },
      metadata: { labels: { x: null, z: 'w' }, annotations: { 'a/b': 'c' } },
    });
    expect(reply).toMatchObject({ status: 200 });
    expect(at(reply, 'body.data')).toEqual({ b: '2', c: '3' });
    expect(at(reply, 'body.metadata.labels')).toEqual({ z: 'w' });
    expect(at(reply, 'body.metadata.annotations')).toEqual({ 'a/b': 'c' });
  });
  it('replaces lists in a merge', async () => {
    await api.call('POST', api.things(), { body: thing(api.group, 'lists', { spec: { size: 1, tags: ['a', 'b'] } }) });
    const reply = await api.call('PATCH', api.things('/lists'), { type: merge, body: { spec: { tags: ['c'] } } });
    expect(at(reply.body, 'spec.tags')).toEqual(['c']);
  });
  it('merges under a version only when it is the stored one', async () => {
    const made = await make('versioned');
    const resourceVersion = textAt(made.body, 'metadata.resourceVersion');
    expect(await patch('versioned', merge, { metadata: { resourceVersion }, data: { a: '2' } })).toMatchObject({ status: 200 });
    expect(await patch('versioned', merge, { metadata: { resourceVersion }, data: { a: '3' } })).toEqual(
      failure(
        409,
        'Conflict',
        'Operation cannot be fulfilled on configmaps "versioned": the object has been modified; please apply your changes to the latest version and try again',
        { name: 'versioned', kind: 'configmaps' },
      ),
    );
  });
  it('does not patch what is not there', async () => {
    expect(await patch('none', merge, {})).toEqual(
      failure(404, 'NotFound', 'configmaps "none" not found', { name: 'none', kind: 'configmaps' }),
    );
  });
  it('does not rename', async () => {
    await make('kept');
    expect(await patch('kept', merge, { metadata: { name: 'other' } })).toEqual(
      badRequest('the name of the object (other) does not match the name on the URL (kept)'),
    );
  });
  it('writes nothing when a patch changes nothing', async () => {
    const made = await make('same');
    const { body } = await api.call('PATCH', api.core('configmaps/same'), { type: merge, body: { data: { a: '1' } } });
    expect(textAt(body, 'metadata.resourceVersion')).toBe(textAt(made.body, 'metadata.resourceVersion'));
  });
  it('stores nothing in a dry run', async () => {
    await make('dry');
    expect(await patch('dry', merge, { data: { a: '2' } }, '?dryRun=All')).toMatchObject({ status: 200, body: { data: { a: '2' } } });
    expect((await api.call('GET', api.core('configmaps/dry'))).body).toMatchObject({ data: { a: '1' } });
  });
  it('refuses a plain JSON body', async () => {
    await make('plain');
    expect(await patch('plain', 'application/json', {})).toEqual(failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {}));
  });
  it('has no strategic merge for custom resources', async () => {
    await api.call('POST', api.things(), { body: thing(api.group, 'custom') });
    const types = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
    expect(await api.answer('PATCH', api.things('/custom'), { type: strategic, body: {} })).toEqual(
      failure(415, 'UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: ${types}`),
    );
  });
  it('records each patcher with what it changed', async () => {
    await make('shared');
    const { body } = await api.call('PATCH', api.core('configmaps/shared?fieldManager=second'), {
      type: merge,
      body: { data: { b: '2' } },
    });
    expect(api.tidy(at(body, 'metadata.managedFields'))).toEqual([
      {
        manager: 'contract',
        operation: 'Update',
        apiVersion: 'v1',
        time: 'TIME',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } },
      },
      {
        manager: 'second',
        operation: 'Update',
        apiVersion: 'v1',
        time: 'TIME',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:b': {} } },
      },
    ]);
  });
  it.each([
    ['add', [{ op: 'add', path: '/data/b', value: '2' }], { a: '1', b: '2' }],
    ['add over', [{ op: 'add', path: '/data/a', value: '2' }], { a: '2' }],
    ['replace', [{ op: 'replace', path: '/data/a', value: '2' }], { a: '2' }],
    ['replace of what is missing', [{ op: 'replace', path: '/data/b', value: '2' }], { a: '1', b: '2' }],
    ['move', [{ op: 'move', from: '/data/a', path: '/data/b' }], { b: '1' }],
    ['copy', [{ op: 'copy', from: '/data/a', path: '/data/b' }], { a: '1', b: '1' }],
    [
      'test and replace',
      [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'replace', path: '/data/a', value: '3' },
      ],
      { a: '3' },
    ],
    [
      'escaped keys',
      [
        { op: 'add', path: '/data/x~1y', value: '2' },
        { op: 'move', from: '/data/x~1y', path: '/data/x.y' },
      ],
      { a: '1', 'x.y': '2' },
    ],
  ])('performs %s of a JSON patch', async (name, operations, data) => {
    const own = `json-${name.replaceAll(' ', '-')}`;
    await make(own);
    const reply = await patch(own, json, operations);
    expect(at(reply, 'body.data')).toEqual(data);
  });
  it('puts items into lists', async () => {
    await api.call('POST', api.things(), { body: thing(api.group, 'items', { spec: { size: 1, tags: ['a', 'b'] } }) });
    const operations = [
      { op: 'add', path: '/spec/tags/1', value: 'x' },
      { op: 'remove', path: '/spec/tags/0' },
      { op: 'add', path: '/spec/tags/-', value: 'z' },
    ];
    const reply = await api.call('PATCH', api.things('/items'), { type: json, body: operations });
    expect(at(reply.body, 'spec.tags')).toEqual(['x', 'b', 'z']);
  });
  it.each([
    ['a test that fails', [{ op: 'test', path: '/data/a', value: '2' }]],
    ['a removal of nothing', [{ op: 'remove', path: '/data/none' }]],
    ['a replacement past the end of a list', [{ op: 'replace', path: '/metadata/finalizers/3', value: 'x' }]],
    ['a parent that is not there', [{ op: 'add', path: '/none/b/c', value: 'x' }]],
  ])('refuses %s', async (name, operations) => {
    const own = `refused-${name.replaceAll(' ', '-')}`;
    await make(own);
    expect(await patch(own, json, operations)).toEqual(rejected);
  });
  it('merges maps and keyed lists strategically', async () => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    const container = (name: string, env: object[]) => ({ name, image: 'a:1', env });
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [container('one', [{ name: 'K', value: '1' }]), container('two', [])] },
    };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template },
    };
    expect(await api.call('POST', path, { body: deployment })).toMatchObject({ status: 201 });
    const changed = { name: 'one', image: 'a:2', env: [{ name: 'L', value: '2' }] };
    const body = {
      spec: { template: { spec: { containers: [changed, { name: 'two', $patch: 'delete' }, { name: 'three', image: 'c:1' }] } } },
    };
    const reply = await api.call('PATCH', `${path}/d`, { type: strategic, body });
    const containers = at(reply.body, 'spec.template.spec.containers');
    expect(containers).toMatchObject([
      {
        name: 'one',
        image: 'a:2',
        env: [
          { name: 'L', value: '2' },
          { name: 'K', value: '1' },
        ],
      },
      { name: 'three', image: 'c:1' },
    ]);
    expect(containers).toHaveLength(2);
    expect(at(reply.body, 'metadata.generation')).toBe(2);
  });
  it('deletes a map strategically', async () => {
    await make('strategic');
    const reply = await patch('strategic', strategic, { data: { $patch: 'delete' }, metadata: { labels: { n: 'm' } } });
    expect(at(reply, 'body.data')).toBeUndefined();
    expect(at(reply, 'body.metadata.labels')).toEqual({ x: 'y', n: 'm' });
  });
  it('does not force what is no apply', async () => {
    await make('forced');
    const message = 'Forbidden: may not be specified for non-apply patch';
    expect(await patch('forced', merge, {}, '?force=true')).toEqual(
      failure(422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: force: ${message}`, {
        group: 'meta.k8s.io',
        kind: 'PatchOptions',
        causes: [{ reason: 'FieldValueForbidden', message, field: 'force' }],
      }),
    );
  });
  it('refuses a merge patch that is no object', async () => {
    await make('noobject');
    expect(await patch('noobject', merge, [])).toEqual(
      badRequest('error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'),
    );
  });
  it('refuses a JSON patch that is no list', async () => {
    await make('nolist');
    expect(await patch('nolist', json, {})).toEqual(
      badRequest('error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'),
    );
  });
});
