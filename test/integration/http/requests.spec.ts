import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Request } from '../../../domain/ports/index.ts';
import { type Harness, openHttp } from '../../support/http/index.ts';
import { dispatch } from '../../support/http/parts.ts';

let http: Harness;
const seen: Request[] = [];
beforeAll(async () => {
  http = await openHttp({
    limits: { body: 4_096 },
    parts: {
      dispatcher: {
        patterns: () => ({}),
        dispatch(request) {
          seen.push(request);
          if (request.pattern === 'boom') throw new Error('a bug with a-secret-of-somebody in it');
          return dispatch(request);
        },
      },
    },
  });
});
afterAll(() => http.stop());

const last = () => seen.at(-1);

test('a command is answered with its id, its result and the status of that', async () => {
  expect(await http.post('/api/v1/commands', { id: 'c1', pattern: 'create/workspace', payload: { name: 'shop' } })).toMatchObject({
    status: 200,
    body: { id: 'c1', result: { status: 'success', message: 'Resource created successfully', data: '' } },
  });
  expect(await http.post('/api/v1/commands', { id: 'c2', pattern: 'missing' })).toMatchObject({
    status: 404,
    body: {
      error: { code: 'REQUEST_FAILED', message: 'not found', status: 404 },
      id: 'c2',
      result: { status: 'error', message: 'not found', statusCode: 404, data: null },
    },
  });
  const away = await http.post('/api/v1/commands', { id: 'c3', pattern: 'away' });
  expect(away).toMatchObject({ status: 503, body: { id: 'c3', result: { statusCode: 503 } } });
  expect(await http.post('/api/v1/commands', { id: 'c4', pattern: 'no/such' })).toMatchObject({
    status: 400,
    body: { error: { code: 'PATTERN_UNKNOWN' }, id: 'c4', result: { status: 'error', message: "No handler for pattern 'no/such' found" } },
  });
});

test('the id comes from the body, from Idempotency-Key, or is made', async () => {
  const call = { pattern: 'describe' };
  await http.post('/api/v1/commands', call, { 'idempotency-key': 'k1' });
  expect(last()?.id).toBe('k1');
  await http.post('/api/v1/commands', call, { 'idempotency-key': '"k2"' });
  expect(last()?.id).toBe('k2');
  await http.post('/api/v1/commands', { ...call, id: 'k3' }, { 'idempotency-key': 'k3' });
  expect(last()?.id).toBe('k3');
  await http.post('/api/v1/commands', call);
  expect(last()?.id).toMatch(/^[A-Za-z0-9]{21}$/);
  expect(await http.post('/api/v1/commands', { ...call, id: 'a' }, { 'idempotency-key': 'b' })).toMatchObject({
    status: 400,
    body: { error: { code: 'REQUEST_INVALID', message: 'the id of the body and the Idempotency-Key differ' } },
  });
});

test('who asks and for whom is told to the pipeline', async () => {
  await http.post('/api/v1/commands', { pattern: 'describe', workspace: 'shop', user: { email: 'ann@example.com', firstName: '' } });
  expect(last()).toMatchObject({ workspace: 'shop', actor: { source: 'http', email: 'ann@example.com' } });
  expect(last()?.actor).not.toHaveProperty('firstName');
});

test('resources are other words for their patterns', async () => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'r1' };
  expect(await http.call('/api/v1/workspaces?limit=2&offset=1')).toMatchObject({
    body: { items: [{ name: 'blog' }, { name: 'wiki' }], total: 3 },
  });
  expect(await http.call('/api/v1/workspaces/shop')).toMatchObject({ body: { name: 'shop' } });
  expect(last()).toMatchObject({ pattern: 'get/workspace', payload: { name: 'shop' } });
  await http.call('/api/v1/users?email=ann@example.com');
  expect(last()).toMatchObject({ pattern: 'get/users', payload: { email: 'ann@example.com' } });
  await http.call('/api/v1/workspaces', { method: 'POST', headers, body: '{"name":"shop","resources":[]}' });
  expect(last()).toMatchObject({ id: 'r1', pattern: 'create/workspace', payload: { name: 'shop', resources: [] } });
  await http.call('/api/v1/workspaces/shop', { method: 'PUT', headers, body: '{"name":"other","resources":[]}' });
  expect(last()).toMatchObject({ pattern: 'update/workspace', payload: { name: 'shop', resources: [] } });
  expect(await http.call('/api/v1/workspaces/shop', { method: 'DELETE' })).toMatchObject({ status: 200 });
  expect(last()).toMatchObject({ pattern: 'delete/workspace', payload: { name: 'shop' } });
});

test('another method of a path is 405 and names those there are', async () => {
  const answer = await http.call('/api/v1/commands/c1', { method: 'DELETE' });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET, HEAD');
  expect(answer.body).toEqual({
    error: {
      code: 'METHOD_NOT_ALLOWED',
      message: 'DELETE is not served here, only GET, HEAD',
      status: 405,
      remedy: 'Use one of the methods that `Allow` names.',
    },
  });
  expect((await http.call('/healthz', { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
});

test.each(['/healthz', '/status', '/metrics', '/spec.yaml', '/api/v1/commands', '/api/v1/events/stream'])(
  'HEAD %s has no body',
  async (path) => {
    const answer = await http.call(path, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
  },
);

test.each([
  ['no JSON', '{"pattern": "describe", "payload": "a-secret-of-', 'the body is no valid JSON'],
  ['no object', '7', 'body: Invalid input: expected object, received number'],
  ['nothing', '', 'body: Invalid input: expected object, received null'],
  ['an unknown field', '{"pattern":"describe","paylod":{}}', 'body: Unrecognized key: "paylod"'],
  ['a wrong type', '{"pattern":7}', 'body/pattern: Invalid input: expected string, received number'],
  ['a poisoned prototype', '{"pattern":"describe","__proto__":{"a":1}}', 'the body is no valid JSON'],
  ['too many levels', `{"pattern":"describe","payload":${'['.repeat(150)}${']'.repeat(150)}}`, 'the body has more than 100 levels'],
])('a body of %s is 400 and says what is wrong', async (_, body, message) => {
  const answer = await http.call('/api/v1/commands', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ error: { code: 'REQUEST_INVALID', message } });
});

test('brackets within texts are no levels', async () => {
  expect(await http.post('/api/v1/commands', { pattern: 'describe', payload: '[{"\\'.repeat(150) })).toMatchObject({ status: 200 });
});

test.each([
  ['limit=0', 'querystring/limit: Too small: expected number to be >=1'],
  ['limit=1001', 'querystring/limit: Too big: expected number to be <=1000'],
  ['limit=x', 'querystring/limit: Invalid input: expected number, received NaN'],
  ['limit=1&limit=2', 'querystring/limit: Invalid input: expected number, received NaN'],
  ['offset=-1', 'querystring/offset: Too small: expected number to be >=0'],
  ['phase=odd', 'querystring/phase: Invalid option: expected one of "accepted"|"succeeded"|"failed"|"abandoned"|"parked"'],
  ['sort=name', 'querystring: Unrecognized key: "sort"'],
])('?%s is refused', async (query, message) => {
  expect(await http.call(`/api/v1/commands?${query}`)).toMatchObject({
    status: 400,
    body: { error: { code: 'REQUEST_INVALID', message } },
  });
});

test('a body beyond the bound is 413, on the datagram route in its own shape', async () => {
  const payload = 'x'.repeat(5_000);
  expect(await http.post('/api/v1/commands', { pattern: 'describe', payload })).toMatchObject({
    status: 413,
    body: { error: { code: 'BODY_TOO_LARGE', message: 'the body is larger than 4096 bytes' } },
  });
  expect(await http.post('/socketapi', { pattern: 'describe', payload })).toMatchObject({
    status: 413,
    body: { message: 'failed to read request body', error: 'the body is larger than 4096 bytes' },
  });
});

test('an id with a slash, a percent sign or of full length is one path segment', async () => {
  for (const id of ['a/b', '100%', 'ü'.repeat(512)]) {
    expect(await http.call(`/api/v1/commands/${encodeURIComponent(id)}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'COMMAND_NOT_FOUND', message: `no command has the id "${id}"` } },
    });
  }
  expect(await http.call('/api/v1/commands/%ff')).toMatchObject({ status: 400, body: { error: { code: 'REQUEST_INVALID' } } });
});

test('a bug is 500 with an id, and nothing of the request is in answer or log', async () => {
  const answer = await http.post('/api/v1/commands', { pattern: 'boom', payload: 'a-payload' });
  expect(answer.status).toBe(500);
  expect(answer.body).toMatchObject({ error: { code: 'INTERNAL' } });
  expect(answer.text).not.toContain('a-secret');
  expect(http.log.lines.join('\n')).not.toContain('a-payload');
});

test('a query whose caller went away is given up', async () => {
  let aborted: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    aborted = resolve;
  });
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const slow = await openHttp({
    parts: {
      dispatcher: {
        patterns: () => ({}),
        dispatch: (_, { signal }) =>
          new Promise((resolve) => {
            begun();
            signal.addEventListener('abort', () => {
              aborted();
              resolve({ status: 'error', message: 'cancelled', statusCode: 408, data: null });
            });
          }),
      },
    },
  });
  const caller = new AbortController();
  const call = slow.call('/api/v1/workspaces', { signal: caller.signal }).catch(() => 'went away');
  await started;
  caller.abort();
  await gone;
  expect(await call).toBe('went away');
  await slow.stop();
});

test('beyond its rate a client is asked to wait; probes are not', async () => {
  const limited = await openHttp({ limits: { burst: 3, rate: 0.001 } });
  for (let i = 0; i < 3; i++) expect((await limited.call('/status')).status).toBe(200);
  const refused = await limited.call('/status');
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ error: { code: 'RATE_LIMITED', status: 429 } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(2_900);
  expect((await limited.call('/api/v1/no-such-route')).status).toBe(429);
  for (const path of ['/healthz', '/readyz']) expect((await limited.call(path)).status).toBe(200);
  await limited.stop();
});
