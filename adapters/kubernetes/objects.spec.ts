import { expect, test } from 'vitest';
import { configMaps } from '../../domain/kinds.ts';
import { forKeeping, page, storedObject } from './objects.ts';

const raw = (metadata: object = {}) => ({
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '3', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  data: { k: 'v' },
});

test('an item of a list gets the kind of the list, and loses its managedFields', () => {
  const list = { metadata: { resourceVersion: '9', continue: 'token' }, items: [raw({ managedFields: [{ manager: 'x' }] })] };
  expect(page(list, configMaps)).toEqual({
    resourceVersion: '9',
    continue: 'token',
    items: [{ apiVersion: 'v1', kind: 'ConfigMap', ...raw() }],
  });
});

test('a list may say null for nothing, but nothing is not a list', () => {
  expect(page({ metadata: { resourceVersion: '9' }, items: null }, configMaps)).toEqual({ resourceVersion: '9', items: [] });
  for (const odd of [{}, [], null, 'text', { metadata: {} }, { metadata: {}, items: {} }, { metadata: {}, items: [{}] }]) {
    expect(() => page(odd, configMaps)).toThrow("the Kubernetes API can't be reached: its answer is no");
  }
});

test('what an aggregated server computes has no uid', () => {
  expect(storedObject({ metadata: { name: 'a', creationTimestamp: null } }, configMaps)?.metadata).toEqual({
    name: 'a',
    uid: '',
    resourceVersion: '',
    creationTimestamp: '',
  });
  expect(storedObject({ kind: 'Status', metadata: {} }, configMaps)).toBeUndefined();
});

test('the annotation that repeats the object is not kept, others are', () => {
  const applied = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', other: 'x' };
  const object = storedObject(raw({ annotations: applied }), configMaps);
  expect(object && forKeeping(object).metadata.annotations).toEqual({ other: 'x' });
});
