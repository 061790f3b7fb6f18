import { expect, it } from 'vitest';
import { apiContract, at, badRequest, invalidThing, textAt, thing } from '../../support/kubernetes/index.ts';

const cause = (reason: string, message: string, field: string) => ({ reason: `FieldValue${reason}`, message, field });
const wrong = (field: string, shown: string, text: string) => cause('Invalid', `Invalid value: ${shown}: ${field} in body ${text}`, field);
const mistyped = (field: string, wanted: string, is: string) =>
  cause('TypeInvalid', `Invalid value: "${is}": ${field} in body must be of type ${wanted}: "${is}"`, field);

apiContract('schemas', (api) => {
  const create = (name: string, fields: object, query = '') =>
    api.answer('POST', api.things(query), { body: thing(api.group, name, fields) });
  const spec = (fields: object) => create('x', { spec: { size: 1, ...fields } });

  it('wants what is required', async () => {
    expect(await create('x', { spec: {} })).toEqual(invalidThing('x', [cause('Required', 'Required value', 'spec.size')], true));
    expect(await create('x', {})).toEqual(invalidThing('x', [cause('Required', 'Required value', 'spec')], true));
  });
  it.each([
    ['a text for a number', { size: '1' }, mistyped('spec.size', 'integer', 'string')],
    ['a fraction for a whole number', { size: 1.5 }, mistyped('spec.size', 'integer', 'number')],
    ['a text for a truth', { on: 'yes' }, mistyped('spec.on', 'boolean', 'string')],
    ['a number for a text', { tags: [1] }, mistyped('spec.tags[0]', 'string', 'integer')],
    ['a text for a list', { tags: 'a' }, mistyped('spec.tags', 'array', 'string')],
    ['a number in a map of texts', { map: { a: 1 } }, mistyped('spec.map.a', 'string', 'integer')],
    ['a truth for a number or text', { either: true }, mistyped('spec.either', 'integer,string', 'boolean')],
    ['a time that is none', { when: 'x' }, mistyped('spec.when', 'date-time', 'x')],
    [
      'a choice that is none',
      { color: 'blue' },
      cause('NotSupported', 'Unsupported value: "blue": supported values: "red", "green"', 'spec.color'),
    ],
    ['a text too long', { name: 'abcdef' }, cause('TooLong', 'Too long: may not be more than 5 bytes', 'spec.name')],
    ['too many items', { tags: ['a', 'b', 'c', 'd'] }, cause('TooMany', 'Too many: 4: must have at most 3 items', 'spec.tags')],
    ['a missing key of an item', { env: [{ value: 'a' }] }, cause('Required', 'Required value', 'spec.env[0].name')],
  ])('refuses %s, and tries no rules then', async (_, fields, expected) => {
    expect(await spec(fields)).toEqual(invalidThing('x', [expected], true));
  });
  it.each([
    ['a number too small', { size: 0 }, wrong('spec.size', '0', 'should be greater than or equal to 1')],
    ['a number too large', { size: 11 }, wrong('spec.size', '11', 'should be less than or equal to 10')],
    ['a number on its limit', { ratio: 0 }, wrong('spec.ratio', '0', 'should be greater than 0')],
    ['a text too short', { name: 'a' }, wrong('spec.name', '"a"', 'should be at least 2 chars long')],
    ['a text of another form', { name: 'A1' }, wrong('spec.name', '"A1"', "should match '^[a-z]+$'")],
    ['too few items', { tags: [] }, wrong('spec.tags', '0', 'should have at least 1 items')],
    ['an item twice in a set', { set: ['a', 'a'] }, cause('Duplicate', 'Duplicate value: "a"', 'spec.set[1]')],
    ['a key twice in a list', { env: [{ name: 'a' }, { name: 'a' }] }, cause('Duplicate', 'Duplicate value: {"name":"a"}', 'spec.env[1]')],
  ])('refuses %s', async (_, fields, expected) => {
    expect(await spec(fields)).toEqual(invalidThing('x', [expected]));
  });
  it.each([{ scope: {} }, { scope: { workspaceRef: '' } }, { scope: { namespaces: [] } }])('refuses %j by a rule', async (fields) => {
    const message = 'Invalid value: "object": scope must reference a workspace or list at least one namespace';
    expect(await spec(fields)).toEqual(invalidThing('x', [cause('Invalid', message, 'spec.scope')]));
  });
  it.each([
    ['by-workspace', { scope: { workspaceRef: 'a' } }],
    ['by-namespace', { scope: { namespaces: ['a'] } }],
    ['by-both', { scope: { workspaceRef: 'a', namespaces: ['b'] } }],
  ])('takes a scope %s', async (name, fields) => {
    expect(await create(name, { spec: { size: 1, ...fields } })).toMatchObject({ status: 201 });
  });
  it('says all that is wrong', async () => {
    expect(await create('x', { spec: { size: 0, color: 'blue', on: 1 } })).toMatchObject({
      status: 422,
      body: {
        details: {
          causes: expect.arrayContaining([
            expect.objectContaining({ field: 'spec.size' }),
            expect.objectContaining({ field: 'spec.color' }),
            expect.objectContaining({ field: 'spec.on' }),
          ]),
        },
      },
    });
  });
  it('compares with the stored value in a rule', async () => {
    await create('fixed', { spec: { size: 1, fixed: 'a' } });
    const patch = { text: '{"spec":{"fixed":"b"}}', type: 'application/merge-patch+json' };
    expect(await api.answer('PATCH', api.things('/fixed'), patch)).toEqual(
      invalidThing('fixed', [cause('Invalid', 'Invalid value: "string": failed rule: self == oldSelf', 'spec.fixed')]),
    );
  });
  it('drops what the schema does not know, and keeps what it leaves open', async () => {
    const reply = await create('pruned', {
      spec: { size: 1, nope: 1, any: { b: { c: 1 } }, open: { c: [1] }, inner: { z: 1 }, map: { k: 'v' }, env: [{ name: 'a', more: 1 }] },
      extra: 1,
    });
    expect(at(reply, 'body.spec')).toEqual({
      size: 1,
      color: 'red',
      any: { b: { c: 1 } },
      open: { c: [1] },
      inner: { a: 'x' },
      map: { k: 'v' },
      env: [{ name: 'a' }],
    });
    expect(at(reply, 'body.extra')).toBeUndefined();
  });
  it('fills in defaults, also of an object that is given empty', async () => {
    expect(at(await create('filled', { spec: { size: 1, inner: {} } }), 'body.spec')).toEqual({ size: 1, color: 'red', inner: { a: 'x' } });
  });
  it('drops a null, unless it is allowed', async () => {
    expect(at(await create('nulls', { spec: { size: 1, name: null, color: null, empty: null } }), 'body.spec')).toEqual({
      size: 1,
      color: 'red',
      empty: null,
    });
  });
  it('refuses what it does not know when asked to be strict', async () => {
    expect(await create('strict', { spec: { size: 1, nope: 1 } }, '?fieldValidation=Strict')).toEqual(
      badRequest('Thing in version "v1" cannot be handled as a Thing: strict decoding error: unknown field "spec.nope"'),
    );
  });
  it('warns of what it drops', async () => {
    const { headers } = await api.call('POST', api.things(), { body: thing(api.group, 'warned', { spec: { size: 1, nope: 1 } }) });
    expect(String(headers.warning)).toBe('299 - "unknown field \\"spec.nope\\""');
  });
  it('writes status at its own address only', async () => {
    const made = await create('status', { spec: { size: 1 }, status: { phase: 'x' } });
    expect(at(made, 'body.status')).toBeUndefined();
    const path = api.things('/status/status');
    const type = 'application/merge-patch+json';
    const written = await api.call('PATCH', path, {
      type,
      body: { status: { phase: 'on' }, spec: { size: 5 }, metadata: { labels: { a: 'b' } } },
    });
    expect(written).toMatchObject({ status: 200, body: { metadata: { generation: 1 }, spec: { size: 1 }, status: { phase: 'on' } } });
    expect(at(written.body, 'metadata.labels')).toBeUndefined();
    const changed = await api.call('PATCH', api.things('/status'), { type, body: { status: { phase: 'off' }, spec: { size: 3 } } });
    expect(changed).toMatchObject({ status: 200, body: { metadata: { generation: 2 }, spec: { size: 3 }, status: { phase: 'on' } } });
  });
  it('checks status too', async () => {
    await create('checked', { spec: { size: 1 } });
    const reply = await api.answer('PATCH', api.things('/checked/status'), {
      type: 'application/merge-patch+json',
      body: { status: { phase: 5 } },
    });
    expect(reply).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ reason: 'FieldValueTypeInvalid', field: 'status.phase' }, {}] } },
    });
  });
  it('replaces status by PUT under a version', async () => {
    const made = await api.call('POST', api.things(), { body: thing(api.group, 'put') });
    const resourceVersion = textAt(made.body, 'metadata.resourceVersion');
    const body = {
      ...thing(api.group, 'put'),
      metadata: { name: 'put', resourceVersion },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    };
    expect(await api.call('PUT', api.things('/put/status'), { body })).toMatchObject({
      status: 200,
      body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
    });
    expect(await api.call('PUT', api.things('/put/status'), { body })).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
  });
});
