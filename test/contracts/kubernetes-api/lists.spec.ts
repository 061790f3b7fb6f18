import { beforeAll, expect, it } from 'vitest';
import { apiContract, at, badRequest, failure, listAt, namesIn, textAt } from '../../support/kubernetes/index.ts';

const optionError = (field: string, reason: string, message: string) =>
  failure(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${field}: ${message}`, {
    group: 'meta.k8s.io',
    kind: 'ListOptions',
    causes: [{ reason, message, field }],
  });

apiContract('lists', (api) => {
  const secrets = (query: Record<string, string> = {}) => api.core(`secrets?${new URLSearchParams(query)}`);
  const list = async (query: Record<string, string> = {}) => (await api.call('GET', secrets(query))).body;
  const make = (name: string, labels: object, type = 'Opaque') =>
    api.call('POST', api.core('secrets'), { body: { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, type } });

  beforeAll(async () => {
    await make('a', { app: 'one', tier: 'front', size: '1' });
    await make('b', { app: 'one', tier: 'back', size: '5' });
    await make('c', { app: 'two', size: 'x' }, 'example.com/own');
    await make('d', {});
    await make('e', { app: '', 'example.com/x': 'y' });
  });

  it('names the kind once, not at each item', async () => {
    const body = await list();
    expect(body).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' });
    expect(textAt(body, 'metadata.resourceVersion')).toMatch(/^\d+$/);
    expect(namesIn(body)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(Object.keys(Object(listAt(body, 'items')[0])).sort()).toEqual(['metadata', 'type']);
  });
  it('names kind and version at each item of a custom kind', async () => {
    await api.call('POST', api.things(), {
      body: { apiVersion: `${api.group}/v1`, kind: 'Thing', metadata: { name: 'listed' }, spec: { size: 1 } },
    });
    expect((await api.call('GET', api.things())).body).toMatchObject({
      kind: 'ThingList',
      apiVersion: `${api.group}/v1`,
      items: [{ kind: 'Thing', apiVersion: `${api.group}/v1`, metadata: { name: 'listed' } }],
    });
  });
  it('lists over all namespaces', async () => {
    const { body } = await api.call('GET', `/apis/${api.group}/v1/things`);
    expect(namesIn(body)).toEqual(['listed']);
  });
  it('is an empty list where nothing is', async () => {
    const { body } = await api.call('GET', api.core('persistentvolumeclaims'));
    expect(at(body, 'items')).toEqual([]);
  });
  it.each([
    ['app=one', ['a', 'b']],
    ['app==one', ['a', 'b']],
    ['app!=one', ['c', 'd', 'e']],
    ['app in (one, two)', ['a', 'b', 'c']],
    ['app notin (one)', ['c', 'd', 'e']],
    ['app', ['a', 'b', 'c', 'e']],
    ['!app', ['d']],
    ['app=', ['e']],
    ['app=one,tier=back', ['b']],
    ['app,!tier', ['c', 'e']],
    ['size>2', ['b']],
    ['size<2', ['a']],
    ['example.com/x=y', ['e']],
    ['app in (one),tier notin (back)', ['a']],
    ['tier in (front,)', ['a']],
    ['none=x', []],
  ])('selects by labels: %s', async (labelSelector, names) => {
    expect(namesIn(await list({ labelSelector }))).toEqual(names);
  });
  it.each([
    ['metadata.name=b', ['b']],
    ['metadata.name==b', ['b']],
    ['metadata.name!=b', ['a', 'c', 'd', 'e']],
    ['type=example.com/own', ['c']],
    ['type=Opaque,metadata.name!=a', ['b', 'd', 'e']],
  ])('selects by fields: %s', async (fieldSelector, names) => {
    expect(namesIn(await list({ fieldSelector }))).toEqual(names);
  });
  it('selects by namespace over all namespaces', async () => {
    const { body } = await api.call('GET', `/api/v1/secrets?fieldSelector=metadata.namespace%3D${api.namespace}`);
    expect(namesIn(body)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
  it('selects events by what they are about', async () => {
    const event = (name: string, about: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: { kind: 'Pod', namespace: api.namespace, name: about },
      reason: 'Testing',
      type: 'Normal',
    });
    await api.call('POST', api.core('events'), { body: event('x.1', 'x') });
    await api.call('POST', api.core('events'), { body: event('y.1', 'y') });
    const { body } = await api.call('GET', api.core('events?fieldSelector=involvedObject.name%3Dy,involvedObject.kind%3DPod'));
    expect(namesIn(body)).toEqual(['y.1']);
  });
  it.each([
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a>b', "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer"],
  ])('refuses the label selector %s', async (labelSelector, message) => {
    expect(await api.answer('GET', secrets({ labelSelector }))).toEqual(badRequest(message));
  });
  it('refuses a field that can not be selected by', async () => {
    expect(await api.answer('GET', api.core('configmaps?fieldSelector=foo%3Dbar'))).toEqual(
      badRequest('"foo" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    );
  });
  it('refuses a field selector without a sign', async () => {
    expect(await api.answer('GET', secrets({ fieldSelector: 'metadata.name' }))).toEqual(
      badRequest("invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
    );
  });
  it('gives pages of one state, whatever is written between them', async () => {
    const first = await list({ limit: '2' });
    expect(namesIn(first)).toEqual(['a', 'b']);
    expect(at(first, 'metadata.remainingItemCount')).toBe(3);
    await make('bb', {});
    await api.call('DELETE', api.core('secrets/c'));
    const second = await list({ limit: '2', continue: textAt(first, 'metadata.continue') });
    expect(namesIn(second)).toEqual(['c', 'd']);
    expect(textAt(second, 'metadata.resourceVersion')).toBe(textAt(first, 'metadata.resourceVersion'));
    const third = await list({ limit: '2', continue: textAt(second, 'metadata.continue') });
    expect(namesIn(third)).toEqual(['e']);
    expect(at(third, 'metadata.continue') ?? at(third, 'metadata.remainingItemCount')).toBeUndefined();
    await make('c', { app: 'two', size: 'x' }, 'example.com/own');
    await api.call('DELETE', api.core('secrets/bb'));
  });
  it('counts no rest when it selects', async () => {
    const page = await list({ limit: '1', labelSelector: 'app=one' });
    expect(namesIn(page)).toEqual(['a']);
    expect(at(page, 'metadata.remainingItemCount')).toBeUndefined();
    expect(namesIn(await list({ limit: '1', labelSelector: 'app=one', continue: textAt(page, 'metadata.continue') }))).toEqual(['b']);
  });
  it('ends a page that is just full without a token', async () => {
    expect(at(await list({ limit: '5' }), 'metadata.continue')).toBeUndefined();
  });
  it('shows an older state exactly', async () => {
    const then = textAt(await list(), 'metadata.resourceVersion');
    await make('later', {});
    expect(namesIn(await list({ resourceVersion: then, resourceVersionMatch: 'Exact' }))).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(namesIn(await list({ resourceVersion: then, resourceVersionMatch: 'NotOlderThan' }))).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'later',
    ]);
    expect(namesIn(await list({ resourceVersion: '0' }))).toContain('a');
    await api.call('DELETE', api.core('secrets/later'));
  });
  it('asks for patience about a version that is yet to come', async () => {
    expect(await api.call('GET', secrets({ resourceVersion: '9999999999' }))).toMatchObject({
      status: 504,
      body: {
        reason: 'Timeout',
        message: expect.stringMatching(/^Timeout: Too large resource version: 9999999999, current: \d+$/),
        details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
        code: 504,
      },
    });
  });
  it('refuses options that do not fit together', async () => {
    const text = 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided';
    expect(await api.answer('GET', secrets({ resourceVersionMatch: 'Exact' }))).toEqual(
      optionError('resourceVersionMatch', 'FieldValueForbidden', text),
    );
    const unknown = 'Unsupported value: "Nope": supported values: "Exact", "NotOlderThan", ""';
    expect(await api.answer('GET', secrets({ resourceVersionMatch: 'Nope', resourceVersion: '1' }))).toEqual(
      optionError('resourceVersionMatch', 'FieldValueNotSupported', unknown),
    );
  });
  it.each([
    [{ limit: 'x' }, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      { resourceVersion: 'x' },
      'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
    [{ continue: 'abc' }, "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value"],
  ])('refuses %j', async (query, message) => {
    expect(await api.answer('GET', secrets(query))).toEqual(badRequest(message));
  });
  it('shows metadata alone when asked to', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const { body } = await api.call('GET', secrets({ fieldSelector: 'metadata.name=a' }), { accept });
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(Object.keys(Object(listAt(body, 'items')[0])).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    const one = await api.call('GET', api.core('secrets/a'), { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' });
    expect(one.body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a', labels: { app: 'one' } } });
    expect(at(one.body, 'type')).toBeUndefined();
  });
  it('shows a table of a custom kind', async () => {
    const { body } = await api.call('GET', api.things(), { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', priority: 0 },
        { name: 'Size', type: 'integer', description: 'Custom resource definition column (in JSONPath format): .spec.size' },
        { name: 'Ready', type: 'string' },
        { name: 'Age', type: 'date' },
      ],
      rows: [
        {
          cells: ['listed', 1, null, expect.stringMatching(/^\d+s$/)],
          object: { kind: 'PartialObjectMetadata', metadata: { name: 'listed' } },
        },
      ],
    });
  });
  it('offers what it can', async () => {
    const message = expect.stringContaining('406: Not Acceptable\n\nAvailable representations: application/json, application/yaml');
    expect(await api.call('GET', secrets(), { accept: 'application/xml' })).toMatchObject({
      status: 406,
      body: { reason: 'NotAcceptable', message },
    });
  });
});
