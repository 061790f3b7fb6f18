import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuditPolicy } from '../../domain/audit/index.ts';
import type { KubernetesObject } from '../../domain/ports/index.ts';
import { objectText } from './index.ts';

const policy = createAuditPolicy({
  digest: (text) => createHash('sha256').update(text).digest('hex'),
  text: objectText,
  secrets: () => [],
});
const user: KubernetesObject = {
  kind: 'User',
  apiVersion: 'mogenius.com/v1alpha1',
  metadata: {
    name: 'ann',
    namespace: 'mogenius',
    uid: 'u1',
    resourceVersion: '7',
    creationTimestamp: '2026-12-01T01:33:07Z',
    generation: 2,
    annotations: { 'mogenius.com/command': 'c1' },
  },
  spec: {
    firstName: 'Ann',
    lastName: 'Lee',
    email: 'ann@example.org',
    subject: { name: 'ann', kind: 'User', apiGroup: 'rbac.authorization.k8s.io' },
  },
  status: { ready: true },
};
const configMap = (a: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'made', namespace: 'shop' },
  data: { a },
});
const secret: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'made', namespace: 'shop' },
  data: { k: 'Y2FuYXJ5LW1hZGUtc2VjcmV0' },
  type: 'Opaque',
};

test('a deleted object reads as the existing operator writes it', () => {
  expect(policy.describe({ ...user, spec: { ...(user.spec as object), firstName: 'Anna' } }, undefined).diff).toBe(
    '--- mogenius/ann\n+++ mogenius/ann\n@@ -1,14 +1 @@\n-apiVersion: mogenius.com/v1alpha1\n-kind: User\n-metadata:\n-  name: ann\n-  namespace: mogenius\n-spec:\n-  email: ann@example.org\n-  firstName: Anna\n-  lastName: Lee\n-  subject:\n-    apiGroup: rbac.authorization.k8s.io\n-    kind: User\n-    name: ann\n \n',
  );
});

test('a created object begins behind one empty line', () => {
  expect(policy.describe(undefined, configMap('1')).diff).toBe(
    '--- shop/made\n+++ shop/made\n@@ -1 +1,8 @@\n+apiVersion: v1\n+data:\n+  a: "1"\n+kind: ConfigMap\n+metadata:\n+  name: made\n+  namespace: shop\n \n',
  );
});

test('a change near the start has its hunk from the first line', () => {
  expect(policy.describe(configMap('1'), configMap('2')).diff).toBe(
    '--- shop/made\n+++ shop/made\n@@ -1,6 +1,6 @@\n apiVersion: v1\n data:\n-  a: "1"\n+  a: "2"\n kind: ConfigMap\n metadata:\n   name: made\n',
  );
});

test('several lines that went stand before those that came', () => {
  expect(policy.describe(user, { ...user, spec: { email: 'ann@example.org', firstName: 'Anna' } }).diff).toBe(
    '--- mogenius/ann\n+++ mogenius/ann\n@@ -5,10 +5,5 @@\n   namespace: mogenius\n spec:\n   email: ann@example.org\n-  firstName: Ann\n-  lastName: Lee\n-  subject:\n-    apiGroup: rbac.authorization.k8s.io\n-    kind: User\n-    name: ann\n+  firstName: Anna\n \n',
  );
});

test('a Secret shows that its values changed, and none of them', () => {
  expect(policy.describe(secret, undefined).diff).toBe(
    "--- shop/made\n+++ shop/made\n@@ -1,9 +1 @@\n-apiVersion: v1\n-data:\n-  k: '***[REDACTED:sha256:8b1fe212]***'\n-kind: Secret\n-metadata:\n-  name: made\n-  namespace: shop\n-type: Opaque\n \n",
  );
});

test('what only the server or we ourselves changed is no difference', () => {
  const later = {
    ...user,
    metadata: { ...user.metadata, resourceVersion: '9', generation: 3, annotations: { 'mogenius.com/command': 'c2' } },
    status: { ready: false },
  };
  expect(policy.describe(user, later)).toEqual({
    attribution: { kind: 'User', apiVersion: 'mogenius.com/v1alpha1', namespace: 'mogenius', name: 'ann' },
  });
});

test('an object without a namespace is labelled by its name alone, and changes far apart are two hunks', () => {
  const lines = (first: string, last: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'big' },
    spec: { a: first, b: 1, c: 2, d: 3, e: 4, f: 5, g: 6, h: 7, i: last },
  });
  expect(policy.describe(lines('x', 'x'), lines('y', 'y')).diff).toBe(
    '--- /big\n+++ /big\n@@ -3,7 +3,7 @@\n metadata:\n   name: big\n spec:\n-  a: x\n+  a: "y"\n   b: 1\n   c: 2\n   d: 3\n@@ -11,5 +11,5 @@\n   f: 5\n   g: 6\n   h: 7\n-  i: x\n+  i: "y"\n \n',
  );
});

test.each([
  [{ b: [{ z: 1, a: 'x' }], a: {} }, 'a: {}\nb:\n- a: x\n  z: 1\n'],
  [
    { a: 'true', b: 'null', c: '1e3', d: '2026-12-01', e: 'yes', f: '' },
    'a: "true"\nb: "null"\nc: "1e3"\nd: "2026-12-01"\ne: "yes"\nf: ""\n',
  ],
  [{ a: 'one: two', b: '*star', c: '#no', d: 'a b' }, "a: 'one: two'\nb: '*star'\nc: '#no'\nd: a b\n"],
  [{ a: 'one\ntwo\n', b: 'one\ntwo' }, 'a: |\n  one\n  two\nb: |-\n  one\n  two\n'],
  [{ a: null, b: true, c: 1.5, d: [] }, 'a: null\nb: true\nc: 1.5\nd: []\n'],
])('%j as YAML', (value, text) => {
  expect(objectText.yaml(value)).toBe(text);
});

test('documents nobody changes keep their text', () => {
  const text = 'a: 1 # why\n---\nb:   2\n';
  expect(objectText.rewrite(text, (document) => document)).toBe(text);
  expect(objectText.rewrite(text, (document) => (JSON.stringify(document) === '{"b":2}' ? { b: 3 } : document))).toBe(
    'a: 1 # why\n---\nb: 3\n',
  );
  expect(objectText.rewrite('a: [', (document) => document)).toBeUndefined();
});
