import { expect, test } from 'vitest';
import { both, fromJson, minus, paths, sameFields, toJson, union } from './fields.ts';

const one = { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } };
const other = { 'f:data': { 'f:b': {}, 'f:c': {} }, 'f:spec': { 'f:env': { 'k:{"name":"x"}': { '.': {}, 'f:value': {} } } } };

test('a set is printed as it was read', () => {
  expect(toJson(fromJson(one))).toEqual(one);
  expect(toJson(fromJson(other))).toEqual(other);
});
test('sets are added, taken away and shared', () => {
  expect(toJson(union(fromJson(one), fromJson(other)))).toEqual({
    'f:data': { '.': {}, 'f:a': {}, 'f:b': {}, 'f:c': {} },
    'f:spec': { 'f:env': { 'k:{"name":"x"}': { '.': {}, 'f:value': {} } } },
  });
  expect(toJson(minus(fromJson(one), fromJson(other)))).toEqual({ 'f:data': { '.': {}, 'f:a': {} } });
  expect(toJson(both(fromJson(one), fromJson(other)))).toEqual({ 'f:data': { 'f:b': {} } });
});
test('members are named as in a conflict', () => {
  expect(paths(fromJson(other))).toEqual(['.data.b', '.data.c', '.spec.env[name="x"]', '.spec.env[name="x"].value']);
});
test('sets are equal by their members alone', () => {
  expect(sameFields(fromJson({ 'f:a': {}, 'f:b': {} }), fromJson({ 'f:b': {}, 'f:a': {} }))).toBe(true);
  expect(sameFields(fromJson({ 'f:a': {} }), fromJson({ 'f:a': { '.': {}, 'f:b': {} } }))).toBe(false);
});
