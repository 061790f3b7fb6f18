import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { objectText } from '../../adapters/text/index.ts';
import { createAuditPolicy } from './index.ts';

const canary = 'canary-Xk29-value';
const policy = createAuditPolicy({
  digest: (text) => createHash('sha256').update(text).digest('hex'),
  text: objectText,
  secrets: () => ['key', 'operator-api-key', 'operator-api-key-longer'],
});
const canaryIn = (value: unknown): boolean => JSON.stringify(value).includes(canary) || JSON.stringify(value).includes(btoa(canary));

test('what has no secret comes back as it is', () => {
  const payload = { name: 'shop', resources: [{ id: 'a', type: 'namespace' }], password: '', note: 'the password is in the safe' };
  expect(policy.redact(payload)).toBe(payload);
});

test('the fields of a real datagram with passwords are hidden at any depth and in any spelling, and the request is left alone', () => {
  const payload = {
    name: 'repo',
    username: 'ann',
    Password: canary,
    nested: [{ deep: { apiKey: canary, API_KEY: canary, AccessToken: canary, 'client-secret': canary } }],
    prometheusPass: canary,
    prometheusToken: canary,
    authorization: `Bearer ${canary}`,
    token: 12345,
  };
  const before = structuredClone(payload);
  expect(policy.redact(payload)).toEqual({
    name: 'repo',
    username: 'ann',
    Password: '***[REDACTED]***',
    nested: [
      {
        deep: {
          apiKey: '***[REDACTED]***',
          API_KEY: '***[REDACTED]***',
          AccessToken: '***[REDACTED]***',
          'client-secret': '***[REDACTED]***',
        },
      },
    ],
    prometheusPass: '***[REDACTED]***',
    prometheusToken: '***[REDACTED]***',
    authorization: '***[REDACTED]***',
    token: '***[REDACTED]***',
  });
  expect(payload).toEqual(before);
});

test.each([
  [
    'an object',
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: { a: btoa(canary) },
      stringData: { b: canary },
      binaryData: { c: canary },
    },
  ],
  ['a list that names its kind once', { kind: 'SecretList', items: [{ metadata: { name: 's' }, data: { a: btoa(canary) } }] }],
  ['a list of anything', { kind: 'List', items: [{ kind: 'Secret', data: { a: btoa(canary) } }] }],
  [
    'what kubectl remembered',
    {
      kind: 'Secret',
      metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":{"a":"${canary}"}}` } },
    },
  ],
  ['a manifest', { yamlData: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  a: ${canary}\n` }],
  ['the second of two manifests', { yamlData: `kind: ConfigMap\ndata: {}\n---\nkind: Secret\nstringData:\n  a: ${canary}\n` }],
  ['a manifest as JSON', { yamlData: `{"kind":"Secret","data":{"a":"${btoa(canary)}"}}` }],
  ['a manifest nobody can read', { yamlData: `kind: Secret\nstringData:\n  a: [${canary}\n` }],
  ['values of a chart', { values: `auth:\n  rootPassword: ${canary}\n  replicas: 2\n` }],
  ['values of a chart, decoded', { values: { auth: { adminPassword: canary, existingToken: canary } } }],
  ['values of a chart in one line', { values: `{adminPassword: ${canary}}` }],
  ['a result with a Secret inside', { data: [{ object: { kind: 'Secret', data: { a: btoa(canary) } } }] }],
])('no secret is left of %s', (_, payload) => {
  const before = structuredClone(payload);
  expect(canaryIn(policy.redact(payload))).toBe(false);
  expect(payload).toEqual(before);
});

test('a manifest keeps all but its secrets', () => {
  const { yamlData } = policy.redact({ yamlData: 'kind: Secret\nmetadata:\n  name: s\ndata:\n  k: Y2FuYXJ5LW1hZGUtc2VjcmV0\n' }) as {
    yamlData: string;
  };
  expect(yamlData).toBe("data:\n  k: '***[REDACTED:sha256:8b1fe212]***'\nkind: Secret\nmetadata:\n  name: s\n");
});

test('values of secret settings are hidden wherever they stand, the longest first; a very short one would hide half of everything', () => {
  expect(policy.redact({ url: 'https://h/?k=operator-api-key-longer', 'operator-api-key': 'the key' })).toEqual({
    url: 'https://h/?k=***[REDACTED]***',
    '***[REDACTED]***': 'the key',
  });
});

test('what nobody can look through is left out', () => {
  let deep: unknown = canary;
  for (let i = 0; i < 200; i++) deep = { password2: deep };
  expect(canaryIn(policy.redact(deep))).toBe(false);
});
