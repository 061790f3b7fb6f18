import { expect, it } from 'vitest';
import { apiContract, at, failure, listAt, textAt, thing, thingDefinition } from '../../support/kubernetes/index.ts';

apiContract('definitions', (api) => {
  const own = (suffix: string) => `${suffix}.${api.group}`;
  const create = (body: object) => api.call('POST', api.definitions, { body });
  const serves = (group: string) =>
    api.until(async () => (await api.call('GET', `/apis/${group}/v1/namespaces/${api.namespace}/things`)).status === 200);
  const remove = (group: string) => api.call('DELETE', `${api.definitions}/things.${group}`);

  it('completes the names, and is served when it is established', async () => {
    const group = own('served');
    const made = await create(thingDefinition(group));
    expect(made.status).toBe(201);
    expect(at(made.body, 'metadata.generation')).toBe(1);
    expect(at(made.body, 'spec.names')).toEqual({
      plural: 'things',
      singular: 'thing',
      shortNames: ['th'],
      kind: 'Thing',
      listKind: 'ThingList',
      categories: ['all'],
    });
    expect(at(made.body, 'spec.conversion')).toEqual({ strategy: 'None' });
    let body: unknown;
    // Served a moment before it says so.
    await api.until(async () => {
      ({ body } = await api.call('GET', `${api.definitions}/things.${group}`));
      return textAt(listAt(body, 'status.conditions')[1], 'status') === 'True';
    });
    expect(api.tidy(at(body, 'status'))).toEqual({
      conditions: [
        { type: 'NamesAccepted', status: 'True', lastTransitionTime: 'TIME', reason: 'NoConflicts', message: 'no conflicts found' },
        {
          type: 'Established',
          status: 'True',
          lastTransitionTime: 'TIME',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      acceptedNames: { plural: 'things', singular: 'thing', shortNames: ['th'], kind: 'Thing', listKind: 'ThingList', categories: ['all'] },
      storedVersions: ['v1'],
    });
    await remove(group);
  });
  it('takes its objects along, ends their watches and is served no more', async () => {
    const group = own('gone');
    await create(thingDefinition(group));
    await serves(group);
    const things = `/apis/${group}/v1/namespaces/${api.namespace}/things`;
    await api.call('POST', things, { body: thing(group, 'one') });
    const version = textAt((await api.call('GET', things)).body, 'metadata.resourceVersion');
    const events = await api.watch(`${things}?watch=1&resourceVersion=${version}`);
    expect(await remove(group)).toMatchObject({
      status: 200,
      body: { metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] } },
    });
    expect(await events.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'one' } } });
    expect(await events.rest()).toEqual([]);
    await api.until(async () => (await api.call('GET', things)).status === 404);
  });
  it('waits for its objects that are held', async () => {
    const group = own('held');
    await create(thingDefinition(group));
    await serves(group);
    const things = `/apis/${group}/v1/namespaces/${api.namespace}/things`;
    await api.call('POST', things, { body: { ...thing(group, 'one'), metadata: { name: 'one', finalizers: ['example.com/hold'] } } });
    await remove(group);
    await api.until(async () => textAt((await api.call('GET', `${things}/one`)).body, 'metadata.deletionTimestamp') !== '');
    expect(await api.call('GET', `${api.definitions}/things.${group}`)).toMatchObject({ status: 200 });
    await api.call('PATCH', `${things}/one`, { type: 'application/merge-patch+json', body: { metadata: { finalizers: null } } });
    await api.until(async () => (await api.call('GET', `${api.definitions}/things.${group}`)).status === 404);
  });
  it('changes the schema of a served kind', async () => {
    const group = own('changed');
    await create(thingDefinition(group));
    await serves(group);
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum';
    const patched = await api.call('PATCH', `${api.definitions}/things.${group}`, {
      type: 'application/json-patch+json',
      body: [{ op: 'replace', path, value: 100 }],
    });
    expect(at(patched.body, 'metadata.generation')).toBe(2);
    const things = `/apis/${group}/v1/namespaces/${api.namespace}/things`;
    await api.until(
      async () => (await api.call('POST', `${things}?dryRun=All`, { body: thing(group, 'large', { spec: { size: 50 } }) })).status === 201,
    );
    await remove(group);
  });
  it('refuses a name that is not plural and group', async () => {
    const definition = { ...thingDefinition(own('named')), metadata: { name: 'other' } };
    const message = 'Invalid value: "other": must be spec.names.plural+"."+spec.group';
    expect(await api.answer('POST', api.definitions, { body: definition })).toEqual(
      failure(422, 'Invalid', `CustomResourceDefinition.apiextensions.k8s.io "other" is invalid: metadata.name: ${message}`, {
        name: 'other',
        group: 'apiextensions.k8s.io',
        kind: 'CustomResourceDefinition',
        causes: [{ reason: 'FieldValueInvalid', message, field: 'metadata.name' }],
      }),
    );
  });
  const versioned = (group: string, version: object) => {
    const definition = thingDefinition(group);
    const [first] = definition.spec.versions;
    return { ...definition, spec: { ...definition.spec, versions: [{ ...first, ...version }] } };
  };
  it.each([
    ['no schema', { schema: undefined }, 'spec.versions[0].schema.openAPIV3Schema'],
    ['no storage version', { storage: false }, 'spec.versions'],
    [
      'a field without a type',
      { schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } } },
      'spec.validation.openAPIV3Schema.properties[spec].type',
    ],
    ['a root that is no object', { schema: { openAPIV3Schema: { type: 'string' } } }, 'spec.validation.openAPIV3Schema.type'],
    [
      'a rule that is none',
      { schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self. &&' }] } } },
      'spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule',
    ],
  ])('refuses %s', async (_, version, field) => {
    const reply = await create(versioned(own('refused'), version));
    expect(reply).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(listAt(reply.body, 'details.causes').map((cause) => textAt(cause, 'field'))).toContain(field);
  });
  it('serves a cluster-scoped kind', async () => {
    const group = own('wide');
    const definition = thingDefinition(group);
    await create({ ...definition, spec: { ...definition.spec, scope: 'Cluster' } });
    const path = `/apis/${group}/v1/things`;
    await api.until(async () => (await api.call('GET', path)).status === 200);
    const made = await api.call('POST', path, { body: thing(group, 'wide') });
    expect(made).toMatchObject({ status: 201, body: { metadata: { name: 'wide' } } });
    expect(at(made.body, 'metadata.namespace')).toBeUndefined();
    expect(await api.call('GET', `/apis/${group}/v1/namespaces/${api.namespace}/things`)).toMatchObject({ status: 404 });
    await remove(group);
  });
  it('serves two versions of one object', async () => {
    const group = own('twice');
    const definition = thingDefinition(group);
    const [first] = definition.spec.versions;
    const versions = [first, { ...first, name: 'v2', storage: false }];
    await create({ ...definition, spec: { ...definition.spec, versions } });
    await serves(group);
    const path = (version: string) => `/apis/${group}/${version}/namespaces/${api.namespace}/things`;
    await api.until(async () => (await api.call('GET', path('v2'))).status === 200);
    await api.call('POST', path('v1'), { body: thing(group, 'both') });
    expect((await api.call('GET', `${path('v2')}/both`)).body).toMatchObject({ apiVersion: `${group}/v2`, kind: 'Thing' });
    expect((await api.call('GET', path('v2'))).body).toMatchObject({ items: [{ apiVersion: `${group}/v2` }] });
    await remove(group);
  });
});
