import { expect, it } from 'vitest';
import { apiContract, at, failure } from '../../support/kubernetes/index.ts';

apiContract('access', (api) => {
  it('refuses a wrong token', async () => {
    const answer = await api.answer('GET', '/api/v1/namespaces', { authorization: 'Bearer wrong' });
    expect(answer).toEqual(failure(401, 'Unauthorized', 'Unauthorized'));
  });
  it.each([
    [
      'GET',
      '/api/v1/namespaces',
      'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
      { kind: 'namespaces' },
    ],
    [
      'GET',
      '/apis/apps/v1/namespaces/default/deployments/x',
      'deployments.apps "x" is forbidden: User "system:anonymous" cannot get resource "deployments" in API group "apps" in the namespace "default"',
      { name: 'x', group: 'apps', kind: 'deployments' },
    ],
    [
      'DELETE',
      '/api/v1/namespaces/default/secrets/x',
      'secrets "x" is forbidden: User "system:anonymous" cannot delete resource "secrets" in API group "" in the namespace "default"',
      { name: 'x', kind: 'secrets' },
    ],
  ])('lets nobody %s %s without a name', async (method, path, message, details) => {
    expect(await api.answer(method, path, { authorization: 'none' })).toEqual(failure(403, 'Forbidden', message, details));
  });
  it.each(['/version', '/readyz', '/livez', '/healthz'])('tells anybody %s', async (path) => {
    expect(await api.call('GET', path, { authorization: 'none' })).toMatchObject({ status: 200 });
  });
  it('knows whose token it is not', async () => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'wrong' } };
    const reply = await api.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body });
    expect(reply).toMatchObject({ status: 201, body: { kind: 'TokenReview', spec: { token: 'wrong' } } });
    expect(at(reply.body, 'status')).toEqual({ user: {}, error: 'invalid bearer token' });
  });
  it('says that its own user may', async () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
    const reply = await api.call('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { body });
    expect(reply).toMatchObject({ status: 201, body: { kind: 'SelfSubjectAccessReview', spec, status: { allowed: true } } });
  });
  it('says who asks', async () => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const reply = await api.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body });
    expect(reply).toMatchObject({
      status: 201,
      body: { status: { userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] } } },
    });
  });
  it.each(['GET', 'DELETE'])('keeps no reviews: %s', async (method) => {
    expect(await api.answer(method, '/apis/authentication.k8s.io/v1/tokenreviews')).toEqual(
      failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {}),
    );
  });
});
