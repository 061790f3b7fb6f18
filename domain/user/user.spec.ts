import { expect, test } from 'vitest';
import { newUser, updatedSpec } from './user.ts';

test('what an update does not name stays, an empty text clears', () => {
  const current = { firstName: 'Ann', lastName: 'Lee', subject: { kind: 'User', name: 'ann' } };
  expect(updatedSpec(current, { name: 'ann', firstName: 'Anna', lastName: '' })).toEqual({
    firstName: 'Anna',
    lastName: '',
    subject: { kind: 'User', name: 'ann' },
  });
});

test('a new user carries the empty status that its schema asked for in earlier releases', () => {
  expect(newUser({ name: 'ann', email: 'ann@example.org' }, 'mogenius')).toEqual({
    apiVersion: 'mogenius.com/v1alpha1',
    kind: 'User',
    metadata: { name: 'ann', namespace: 'mogenius' },
    spec: { email: 'ann@example.org' },
    status: {},
  });
});
