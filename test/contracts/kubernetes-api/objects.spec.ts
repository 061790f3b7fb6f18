import { expect, it } from 'vitest';
import { apiContract, at, badRequest, failure, textAt, thing } from '../../support/kubernetes/index.ts';

const configMap = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });
const secret = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...more });

apiContract('objects', (api) => {
  const create = (body: object, query = '') => api.answer('POST', api.core(`configmaps${query}`), { body });
  const version = (reply: { body: unknown }) => Number(textAt(reply.body, 'metadata.resourceVersion'));

  it('creates with identity, and records who wrote what', async () => {
    const managedFields = [
      {
        manager: 'contract',
        operation: 'Update',
        apiVersion: 'v1',
        time: 'TIME',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
      },
    ];
    const metadata = {
      name: 'one',
      namespace: 'NAMESPACE',
      uid: 'UID',
      resourceVersion: 'VERSION',
      creationTimestamp: 'TIME',
      managedFields,
    };
    const expected = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { a: '1' } };
    expect(await create(configMap('one', { data: { a: '1' } }))).toEqual({ status: 201, body: expected });
    expect(await api.answer('GET', api.core('configmaps/one'))).toEqual({ status: 200, body: expected });
  });
  it('gives a custom resource its first generation and defaults', async () => {
    expect(await api.answer('POST', api.things(), { body: thing(api.group, 'first') })).toEqual({
      status: 201,
      body: {
        apiVersion: 'GROUP/v1',
        kind: 'Thing',
        metadata: {
          name: 'first',
          namespace: 'NAMESPACE',
          uid: 'UID',
          resourceVersion: 'VERSION',
          creationTimestamp: 'TIME',
          generation: 1,
          managedFields: [
            {
              manager: 'contract',
              operation: 'Update',
              apiVersion: 'GROUP/v1',
              time: 'TIME',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { '.': {}, 'f:color': {}, 'f:size': {} } },
            },
          ],
        },
        spec: { size: 1, color: 'red' },
      },
    });
  });
  it('makes up a name from generateName', async () => {
    const { body } = await api.call('POST', api.core('configmaps'), {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } },
    });
    expect(textAt(body, 'metadata.name')).toMatch(/^made-[a-z0-9]{5}$/);
    expect(textAt(body, 'metadata.generateName')).toBe('made-');
  });
  it('raises one version over all kinds', async () => {
    const first = await api.call('POST', api.core('configmaps'), { body: configMap('v1') });
    const second = await api.call('POST', api.core('secrets'), { body: secret('v2') });
    const third = await api.call('POST', api.things(), { body: thing(api.group, 'v3') });
    expect(version(first) < version(second) && version(second) < version(third)).toBe(true);
  });
  it('refuses a name that is taken', async () => {
    await create(configMap('taken'));
    const details = { name: 'taken', kind: 'configmaps' };
    expect(await create(configMap('taken'))).toEqual(failure(409, 'AlreadyExists', 'configmaps "taken" already exists', details));
  });
  it('refuses a custom name that is taken', async () => {
    await api.call('POST', api.things(), { body: thing(api.group, 'taken') });
    expect(await api.answer('POST', api.things(), { body: thing(api.group, 'taken') })).toEqual(
      failure(409, 'AlreadyExists', 'things.GROUP "taken" already exists', { name: 'taken', group: 'GROUP', kind: 'things' }),
    );
  });
  it('does not find what is not there', async () => {
    expect(await api.answer('GET', api.core('configmaps/none'))).toEqual(
      failure(404, 'NotFound', 'configmaps "none" not found', { name: 'none', kind: 'configmaps' }),
    );
    expect(await api.answer('GET', api.things('/none'))).toEqual(
      failure(404, 'NotFound', 'things.GROUP "none" not found', { name: 'none', group: 'GROUP', kind: 'things' }),
    );
    expect(await api.answer('PUT', api.core('configmaps/none'), { body: configMap('none') })).toEqual(
      failure(404, 'NotFound', 'configmaps "none" not found', { name: 'none', kind: 'configmaps' }),
    );
  });
  it('creates nothing in a namespace that is not there', async () => {
    const path = '/api/v1/namespaces/no-such-namespace/configmaps';
    const details = { name: 'no-such-namespace', kind: 'namespaces' };
    expect(await api.answer('POST', path, { body: configMap('a') })).toEqual(
      failure(404, 'NotFound', 'namespaces "no-such-namespace" not found', details),
    );
    expect(await api.call('GET', path)).toMatchObject({ status: 200, body: { items: [] } });
  });
  it('refuses another namespace than that of the path', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'other' } };
    expect(await create(body)).toEqual(badRequest('the namespace of the provided object does not match the namespace sent on the request'));
  });
  it('wants a name', async () => {
    const message = 'Required value: name or generateName is required';
    expect(await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} })).toEqual(
      failure(422, 'Invalid', `ConfigMap "" is invalid: metadata.name: ${message}`, {
        kind: 'ConfigMap',
        causes: [{ reason: 'FieldValueRequired', message, field: 'metadata.name' }],
      }),
    );
  });
  it('refuses another kind', async () => {
    expect(await create(secret('a'))).toEqual(
      badRequest('Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion'),
    );
  });
  it('refuses another version', async () => {
    expect(await create({ ...configMap('a'), apiVersion: 'v2' })).toEqual(
      badRequest(
        'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:110"',
      ),
    );
  });
  it('refuses another version of a custom kind', async () => {
    expect(await api.answer('POST', api.things(), { body: { ...thing(api.group, 'a'), apiVersion: `${api.group}/v2` } })).toEqual(
      badRequest('the API version in the data (GROUP/v2) does not match the expected API version (GROUP/v1)'),
    );
  });
  it('takes an object that does not say what it is', async () => {
    expect(await create({ metadata: { name: 'unsaid' } })).toMatchObject({ status: 201, body: { kind: 'ConfigMap', apiVersion: 'v1' } });
  });
  it('refuses what is no JSON', async () => {
    const start = "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ";
    expect(await api.answer('POST', api.core('configmaps'), { text: '{bad' })).toEqual(
      badRequest(`${start}invalid character 'b' looking for beginning of object key string ({bad)`),
    );
    expect(await api.answer('POST', api.core('configmaps'), { text: '' })).toEqual(
      badRequest(`${start}unexpected end of JSON input (<empty>)`),
    );
  });
  it('takes YAML', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: b\n';
    expect(await api.call('POST', api.core('configmaps'), { text, type: 'application/yaml' })).toMatchObject({
      status: 201,
      body: { data: { a: 'b' } },
    });
  });
  it('refuses other media types', async () => {
    const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    expect(await api.answer('POST', api.core('configmaps'), { text: '{}', type: 'text/plain' })).toEqual(
      failure(415, 'UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: ${types}`),
    );
  });
  it('refuses to create under a version', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'versioned', resourceVersion: '5' } };
    expect(await create(body)).toEqual(failure(500, '', 'resourceVersion should not be set on objects to be created'));
  });
  it('drops fields it does not know', async () => {
    const reply = await create({ ...configMap('dropped'), metadata: { name: 'dropped', nope: 1, selfLink: '/x' }, nope: 1 });
    expect(reply).toMatchObject({ status: 201 });
    expect(at(reply, 'body.nope') ?? at(reply, 'body.metadata.nope')).toBeUndefined();
  });
  it('leaves empty metadata out', async () => {
    const reply = await create({
      ...configMap('empty'),
      metadata: { name: 'empty', labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
    });
    expect(Object.keys(Object(at(reply, 'body.metadata'))).sort()).toEqual([
      'creationTimestamp',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ]);
  });
  it('refuses a value of the wrong type', async () => {
    expect(await create(configMap('typed', { data: { a: 1 } }))).toEqual(
      badRequest(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
      ),
    );
  });
  it('keeps its own metadata against the client', async () => {
    const before = await api.call('POST', api.core('configmaps'), { body: configMap('identity', { data: { a: '1' } }) });
    const metadata = { name: 'identity', creationTimestamp: '2001-01-01T00:00:00Z', generation: 77 };
    const after = await api.call('PUT', api.core('configmaps/identity'), {
      body: { ...configMap('identity'), metadata, data: { a: '2' } },
    });
    expect(after.status).toBe(200);
    expect(at(after.body, 'metadata.uid')).toBe(at(before.body, 'metadata.uid'));
    expect(at(after.body, 'metadata.creationTimestamp')).toBe(at(before.body, 'metadata.creationTimestamp'));
    expect(at(after.body, 'metadata.generation')).toBeUndefined();
  });
  it('is not marked for deletion by a replacement', async () => {
    await create(configMap('marked'));
    const message = 'Invalid value: "2001-01-01T00:00:00Z": field is immutable';
    const metadata = { name: 'marked', deletionTimestamp: '2001-01-01T00:00:00Z' };
    expect(await api.call('PUT', api.core('configmaps/marked'), { body: { ...configMap('marked'), metadata } })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: `ConfigMap "marked" is invalid: metadata.deletionTimestamp: ${message}` },
    });
  });
  it('replaces without a version, whatever is stored', async () => {
    await create(configMap('replaced', { data: { a: '1' } }));
    const reply = await api.call('PUT', api.core('configmaps/replaced'), { body: configMap('replaced', { data: { b: '2' } }) });
    expect(reply).toMatchObject({ status: 200, body: { data: { b: '2' } } });
    expect(at(reply.body, 'data.a')).toBeUndefined();
  });
  it('refuses to replace another version', async () => {
    await create(configMap('moved'));
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'moved', resourceVersion: '1' } };
    const message =
      'Operation cannot be fulfilled on configmaps "moved": the object has been modified; please apply your changes to the latest version and try again';
    expect(await api.answer('PUT', api.core('configmaps/moved'), { body })).toEqual(
      failure(409, 'Conflict', message, { name: 'moved', kind: 'configmaps' }),
    );
  });
  it('refuses to replace a custom resource without a version', async () => {
    await api.call('POST', api.things(), { body: thing(api.group, 'unversioned') });
    const message = 'Invalid value: 0: must be specified for an update';
    expect(await api.answer('PUT', api.things('/unversioned'), { body: thing(api.group, 'unversioned') })).toEqual(
      failure(422, 'Invalid', `things.GROUP "unversioned" is invalid: metadata.resourceVersion: ${message}`, {
        name: 'unversioned',
        group: 'GROUP',
        kind: 'things',
        causes: [{ reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' }],
      }),
    );
  });
  it('refuses to replace under another name', async () => {
    await create(configMap('named'));
    expect(await api.answer('PUT', api.core('configmaps/named'), { body: configMap('other') })).toEqual(
      badRequest('the name of the object (other) does not match the name on the URL (named)'),
    );
  });
  it('refuses to replace another uid', async () => {
    const { body } = await api.call('POST', api.core('configmaps'), { body: configMap('unique') });
    const uid = textAt(body, 'metadata.uid');
    const reply = await api.answer('PUT', api.core('configmaps/unique'), {
      body: { ...configMap('unique'), metadata: { name: 'unique', uid: 'xx' } },
    });
    const why = `Precondition failed: UID in precondition: xx, UID in object meta: ${uid}`;
    const text = `StorageError: invalid object, Code: 4, Key: /registry/configmaps/NAMESPACE/unique, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
    expect(reply).toEqual(
      failure(409, 'Conflict', `Operation cannot be fulfilled on configmaps "unique": ${text}`, { name: 'unique', kind: 'configmaps' }),
    );
  });
  it('writes nothing when nothing changes', async () => {
    const before = await api.call('POST', api.core('configmaps'), { body: configMap('still', { data: { a: '1' } }) });
    const after = await api.call('PUT', api.core('configmaps/still'), { body: configMap('still', { data: { a: '1' } }) });
    expect(version(after)).toBe(version(before));
  });
  it('raises the generation with the spec only', async () => {
    const made = await api.call('POST', api.things(), { body: thing(api.group, 'grows') });
    const put = (fields: object, resourceVersion: string, metadata: object = {}) =>
      api.call('PUT', api.things('/grows'), {
        body: { ...thing(api.group, 'grows', fields), metadata: { name: 'grows', resourceVersion, ...metadata } },
      });
    const bigger = await put({ spec: { size: 2 } }, textAt(made.body, 'metadata.resourceVersion'));
    expect(at(bigger.body, 'metadata.generation')).toBe(2);
    const labelled = await put({ spec: { size: 2 } }, textAt(bigger.body, 'metadata.resourceVersion'), { labels: { a: 'b' } });
    expect(at(labelled.body, 'metadata.generation')).toBe(2);
  });
  it.each([
    ['PUT', 'configmaps'],
    ['PATCH', 'configmaps'],
    ['POST', 'configmaps/a'],
  ])('does not allow %s %s', async (method, path) => {
    expect(await api.answer(method, api.core(path), { body: {} })).toEqual(
      failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {}),
    );
  });
  it('stores nothing in a dry run', async () => {
    expect(await create(configMap('dry'), '?dryRun=All')).toMatchObject({ status: 201, body: { metadata: { name: 'dry', uid: 'UID' } } });
    expect(await api.call('GET', api.core('configmaps/dry'))).toMatchObject({ status: 404 });
  });
  it('knows one kind of dry run', async () => {
    const message = 'Unsupported value: ["x"]: supported values: "All"';
    expect(await create(configMap('dry'), '?dryRun=x')).toEqual(
      failure(422, 'Invalid', `CreateOptions.meta.k8s.io "" is invalid: dryRun: ${message}`, {
        group: 'meta.k8s.io',
        kind: 'CreateOptions',
        causes: [{ reason: 'FieldValueNotSupported', message, field: 'dryRun' }],
      }),
    );
  });
  it('writes under the field manager that is named', async () => {
    const reply = await create(configMap('managed', { data: { a: '1' } }), '?fieldManager=somebody');
    expect(reply).toMatchObject({ body: { metadata: { managedFields: [{ manager: 'somebody', operation: 'Update' }] } } });
  });
  it('encodes the texts of a secret, and gives it a type', async () => {
    const reply = await api.answer('POST', api.core('secrets'), { body: secret('texts', { stringData: { a: 'x' }, data: { b: 'eQ==' } }) });
    expect(reply).toMatchObject({ status: 201, body: { data: { a: 'eA==', b: 'eQ==' }, type: 'Opaque' } });
    expect(at(reply, 'body.stringData')).toBeUndefined();
  });
  it('does not change the type of a secret', async () => {
    await api.call('POST', api.core('secrets'), { body: secret('typed') });
    const message = 'Invalid value: "other": field is immutable';
    expect(await api.answer('PUT', api.core('secrets/typed'), { body: secret('typed', { type: 'other' }) })).toEqual(
      failure(422, 'Invalid', `Secret "typed" is invalid: type: ${message}`, {
        name: 'typed',
        kind: 'Secret',
        causes: [{ reason: 'FieldValueInvalid', message, field: 'type' }],
      }),
    );
  });
  it('does not change the role of a binding', async () => {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${api.namespace}/rolebindings`;
    const binding = (role: string) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'bound' },
      subjects: [{ kind: 'User', name: 'jane@example.com' }],
      roleRef: { kind: 'ClusterRole', name: role },
    });
    expect(await api.answer('POST', path, { body: binding('view') })).toMatchObject({
      status: 201,
      body: {
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane@example.com' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      },
    });
    const message = 'Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef';
    expect(await api.answer('PUT', `${path}/bound`, { body: binding('edit') })).toEqual(
      failure(422, 'Invalid', `RoleBinding.rbac.authorization.k8s.io "bound" is invalid: roleRef: ${message}`, {
        name: 'bound',
        group: 'rbac.authorization.k8s.io',
        kind: 'RoleBinding',
        causes: [{ reason: 'FieldValueInvalid', message, field: 'roleRef' }],
      }),
    );
  });
  it('moves a lease from hand to hand under its version', async () => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`;
    const lease = (holder: string, resourceVersion?: string) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'lead', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      spec: { holderIdentity: holder, leaseDurationSeconds: 15, leaseTransitions: 1, renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    const made = await api.call('POST', path, { body: lease('one') });
    const version1 = textAt(made.body, 'metadata.resourceVersion');
    expect(await api.call('PUT', `${path}/lead`, { body: lease('two', version1) })).toMatchObject({
      status: 200,
      body: { spec: { holderIdentity: 'two' } },
    });
    expect(await api.call('PUT', `${path}/lead`, { body: lease('three', version1) })).toMatchObject({
      status: 409,
      body: { reason: 'Conflict' },
    });
  });
  it.each([
    ['configmaps', 'ConfigMap', '[]', 'x'.repeat(1_048_577)],
    ['secrets', 'Secret', 'data', 'AAAA'.repeat(349_526)],
  ])('refuses %s past a mebibyte', async (plural, kind, field, text) => {
    const message = 'Too long: may not be more than 1048576 bytes';
    expect(
      await api.answer('POST', api.core(plural), { body: { apiVersion: 'v1', kind, metadata: { name: 'large' }, data: { a: text } } }),
    ).toEqual(
      failure(422, 'Invalid', `${kind} "large" is invalid: ${field}: ${message}`, {
        name: 'large',
        kind,
        causes: [{ reason: 'FieldValueTooLong', message, field }],
      }),
    );
  });
  it('stores no object past its limit', async () => {
    const body = thing(api.group, 'large', { spec: { size: 1, any: 'x'.repeat(1_700_000) } });
    expect(await api.answer('POST', api.things(), { body })).toEqual(failure(500, '', 'etcdserver: request is too large'));
  });
  it('refuses a body past its limit', async () => {
    const data = { a: 'x'.repeat(3 * 1024 * 1024) };
    expect(await api.answer('POST', api.core('configmaps'), { body: configMap('big', { data }) })).toEqual(
      failure(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
    );
  });
});
