import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClusterUnavailable } from '../../../domain/errors.ts';
import { bearer, type Harness, openHttp } from '../../support/http/index.ts';

let http: Harness;
let reviews = 0;
beforeAll(async () => {
  http = await openHttp({
    tokens: {
      bearer: () => bearer,
      groups: ['operators'],
      async review(token) {
        reviews += 1;
        if (token === 'of-an-operator') return { username: 'ann', groups: ['operators', 'system:authenticated'] };
        if (token === 'of-a-pod') return { username: 'system:serviceaccount:web:default', groups: ['system:serviceaccounts'] };
        if (token === 'unanswered') throw ClusterUnavailable({ reason: 'connection refused' });
        return undefined;
      },
    },
  });
});
afterAll(() => http.stop());

async function ask(method: 'GET' | 'POST' | 'DELETE', path: string, headers: Record<string, string>, body?: string) {
  const answer = await request(http.base + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const said: unknown = await answer.body.json();
  return { status: answer.statusCode, said };
}

const closed = ['/status', '/spec.yaml', '/api-doc', '/api/v1/openapi.json', '/api/v1/commands', '/api/v1/events', '/api/v1/events/stream'];

test.each(closed)('%s is closed to a page that rebound its name to this address', async (path) => {
  const { status, said } = await ask('GET', path, { host: 'evil.example' });
  expect(status).toBe(403);
  expect(said).toMatchObject({
    error: { code: 'ACCESS_DENIED', message: 'without a token the Host has to be localhost, 127.0.0.1 or [::1]', status: 403 },
  });
});

test.each(['/healthz', '/readyz'])('%s is open', async (path) => {
  expect((await ask('GET', path, { host: 'evil.example', origin: 'https://evil.example' })).status).toBe(200);
});

const json = { 'content-type': 'application/json' };
const body = '{"pattern":"describe"}';
test.each<[what: string, headers: Record<string, string>, status: number]>([
  ['this machine by name', { host: 'localhost', ...json }, 200],
  ['this machine, another port (a forwarded one)', { host: 'localhost:8080', ...json }, 200],
  ['this machine, IPv6', { host: '[::1]:1337', ...json }, 200],
  ['its own page', { host: 'localhost:1337', origin: 'http://localhost:1337', 'sec-fetch-site': 'same-origin', ...json }, 200],
  ['JSON with a charset', { host: 'localhost', 'content-type': 'application/json; charset=utf-8' }, 200],
  ['a foreign page', { host: 'localhost:1337', origin: 'https://evil.example', ...json }, 403],
  ['a page of another port', { host: 'localhost:1337', origin: 'http://localhost:3000', ...json }, 403],
  ['a page without an origin', { host: 'localhost:1337', origin: 'null', ...json }, 403],
  ['a page of another site', { host: 'localhost:1337', 'sec-fetch-site': 'cross-site', ...json }, 403],
  ['a name that begins like this machine', { host: 'localhost.evil.example', ...json }, 403],
  ['a form', { host: 'localhost:1337', 'content-type': 'application/x-www-form-urlencoded' }, 403],
  ['a form that is nearly JSON', { host: 'localhost:1337', 'content-type': 'text/plain; application/json' }, 403],
  ['a body of no type', { host: 'localhost:1337' }, 403],
  ['somebody behind a proxy', { host: 'localhost', 'x-forwarded-for': '203.0.113.7', ...json }, 403],
  ['the token', { host: 'operator.example', authorization: `Bearer ${bearer}`, ...json }, 200],
  ['the token in other case', { host: 'operator.example', authorization: `bearer  ${bearer}`, ...json }, 200],
  ['a wrong token from this machine', { host: 'localhost', authorization: 'Bearer wrong', ...json }, 403],
  ['an empty token', { host: 'localhost', authorization: 'Bearer ', ...json }, 403],
  ['a password', { host: 'localhost', authorization: 'Basic YTpi', ...json }, 403],
  ['a token of an operator', { host: 'operator.example', authorization: 'Bearer of-an-operator', ...json }, 200],
  ['a token of some pod', { host: 'operator.example', authorization: 'Bearer of-a-pod', ...json }, 403],
  ['a token nobody can look at now', { host: 'operator.example', authorization: 'Bearer unanswered', ...json }, 503],
])('%s', async (_, headers, status) => {
  for (const path of ['/api/v1/commands', '/socketapi']) expect((await ask('POST', path, headers, body)).status).toBe(status);
});

test('with a token a body of another type is told apart from a refusal; the datagram route takes any', async () => {
  const headers = { host: 'operator.example', authorization: `Bearer ${bearer}`, 'content-type': 'text/plain' };
  expect(await ask('POST', '/api/v1/commands', headers, body)).toMatchObject({
    status: 415,
    said: { error: { code: 'MEDIA_TYPE_UNSUPPORTED' } },
  });
  expect((await ask('POST', '/socketapi', headers, body)).status).toBe(200);
});

test('a request of no body needs no content type from this machine, but no form either', async () => {
  expect((await ask('DELETE', '/api/v1/workspaces/shop', { host: 'localhost' })).status).toBe(200);
  expect((await ask('POST', '/api/v1/parked/c9/retry', { host: 'localhost', 'content-type': 'text/plain' })).status).toBe(403);
});

test('Kubernetes is asked once for a token that comes often', async () => {
  const before = reviews;
  const headers = { host: 'operator.example', authorization: 'Bearer never-seen-before' };
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await ask('GET', '/status', headers)).status));
  expect(statuses).toEqual(Array(20).fill(403));
  expect(reviews - before).toBe(1);
});

test('a refusal says how to come in, and no token is told to anybody', async () => {
  const { said } = await ask('GET', '/status', { host: 'operator.example', authorization: 'Bearer of-a-pod' });
  expect(said).toMatchObject({
    error: {
      message: 'system:serviceaccount:web:default may not call: it is in none of the groups operators',
      remedy: expect.stringContaining('Authorization: Bearer <token>'),
    },
  });
  const told = http.log.lines.join('\n');
  for (const token of [bearer, 'of-a-pod', 'of-an-operator', 'never-seen-before']) expect(told).not.toContain(token);
});
