import { expect, it } from 'vitest';
import { apiContract, failure } from '../../support/kubernetes/index.ts';

const label = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`;
const subdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`;
const part = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
const value = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;

function invalid(kind: string, name: string, causes: readonly { readonly field: string; readonly text: string; readonly shown: string }[]) {
  const all = causes.map(({ field, text, shown }) => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(shown)}: ${text}`,
    field,
  }));
  const sentences = all.map((cause) => `${cause.field}: ${cause.message}`);
  const text = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  return failure(422, 'Invalid', `${kind} "${name}" is invalid: ${text}`, { name, kind, causes: all });
}

apiContract('names', (api) => {
  const create = (metadata: object) =>
    api.answer('POST', api.core('configmaps'), { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata } });

  it.each(['Upper', 'under_score', '-dash', 'dash-', 'dot..dot', 'sp ace'])('refuses the name %j', async (name) => {
    expect(await create({ name })).toEqual(invalid('ConfigMap', name, [{ field: 'metadata.name', shown: name, text: subdomain }]));
  });
  it('refuses a name that is too long', async () => {
    const name = 'a'.repeat(254);
    expect(await create({ name })).toEqual(
      invalid('ConfigMap', name, [{ field: 'metadata.name', shown: name, text: 'must be no more than 253 characters' }]),
    );
  });
  it.each(['a.b', '0', 'a'.repeat(253)])('takes the name %j', async (name) => {
    expect(await create({ name })).toMatchObject({ status: 201 });
  });
  it.each([
    ['a.b', 'must not contain dots'],
    ['Upper', label],
  ])('refuses the namespace %j', async (name, text) => {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    expect(await api.answer('POST', '/api/v1/namespaces', { body })).toEqual(
      invalid('Namespace', name, [{ field: 'metadata.name', shown: name, text }]),
    );
  });
  it('takes any name for roles but a path', async () => {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${api.namespace}/roles`;
    const role = (name: string) => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name }, rules: [] });
    expect(await api.answer('POST', path, { body: role('system:Some_Role') })).toMatchObject({ status: 201 });
    expect(await api.answer('POST', path, { body: role('a/b') })).toMatchObject({
      status: 422,
      body: { details: { causes: [{ message: `Invalid value: "a/b": may not contain '/'`, field: 'metadata.name' }] } },
    });
  });
  it.each([
    ['sp ace', part],
    ['-a', part],
  ])('refuses the label key %j', async (key, text) => {
    expect(await create({ name: 'k', labels: { [key]: 'x' } })).toEqual(
      invalid('ConfigMap', 'k', [{ field: 'metadata.labels', shown: key, text }]),
    );
  });
  it('refuses a label prefix that is no domain', async () => {
    expect(await create({ name: 'k', labels: { 'UP/a': 'x' } })).toEqual(
      invalid('ConfigMap', 'k', [{ field: 'metadata.labels', shown: 'UP/a', text: `prefix part ${subdomain}` }]),
    );
  });
  it.each(['sp ace', 'a/b', '-'])('refuses the label value %j', async (text) => {
    expect(await create({ name: 'k', labels: { a: text } })).toEqual(
      invalid('ConfigMap', 'k', [{ field: 'metadata.labels', shown: text, text: value }]),
    );
  });
  it('refuses a label value that is too long', async () => {
    const long = 'a'.repeat(64);
    expect(await create({ name: 'k', labels: { a: long } })).toEqual(
      invalid('ConfigMap', 'k', [{ field: 'metadata.labels', shown: long, text: 'must be no more than 63 characters' }]),
    );
  });
  it('refuses an annotation key with a space', async () => {
    expect(await create({ name: 'k', annotations: { 'sp ace': 'x y' } })).toEqual(
      invalid('ConfigMap', 'k', [{ field: 'metadata.annotations', shown: 'sp ace', text: part }]),
    );
  });
  it('says all that is wrong', async () => {
    expect(await create({ name: 'Bad', labels: { 'a b': 'c' } })).toEqual(
      invalid('ConfigMap', 'Bad', [
        { field: 'metadata.name', shown: 'Bad', text: subdomain },
        { field: 'metadata.labels', shown: 'a b', text: part },
      ]),
    );
  });
});
