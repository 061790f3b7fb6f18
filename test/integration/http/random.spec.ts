import fc from 'fast-check';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { errorBody } from '../../../adapters/http/errors.ts';
import { bearer, eventOf, type Harness, openHttp } from '../../support/http/index.ts';

let http: Harness;
beforeAll(async () => {
  http = await openHttp({ limits: { body: 64 * 1024 } });
  http.events.push(eventOf(1), eventOf(2), eventOf(3));
});
afterAll(() => http.stop());

const known = [
  ...['/healthz', '/readyz', '/metrics', '/status', '/socketapi', '/spec.yaml', '/api-doc', '/api/v1/openapi.json'],
  ...[
    'commands',
    'commands/c1',
    'commands/c1/chain',
    'audit-log',
    'audit-log/c1',
    'events',
    'events/1001-0',
    'events/import',
    'workspaces',
  ].map((path) => `/api/v1/${path}`),
  ...[
    'workspaces/shop',
    'users',
    'users/ann',
    'grants',
    'projections',
    'projections/audit-log/rebuild',
    'projections/audit-log/verify',
  ].map((path) => `/api/v1/${path}`),
  ...['parked', 'parked/c9/retry', 'parked/c9/discard'].map((path) => `/api/v1/${path}`),
];

const segment = fc.oneof(
  fc.string({ maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom('..', '%2e%2e', '%ff', '%00', 'a%2fb', '*', ':id'),
);
const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...known) },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`) },
  { weight: 1, arbitrary: segment.map((part) => `/api/v1/commands/${part}`) },
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .array(
      fc.tuple(
        fc.constantFrom('limit', 'offset', 'after', 'type', 'stream', 'command', 'phase', 'search', 'workspace', 'email', '__proto__'),
        segment,
      ),
      {
        maxLength: 4,
      },
    )
    .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`),
);
const datagram = fc.record(
  {
    id: fc.oneof(fc.string(), fc.jsonValue()),
    pattern: fc.oneof(fc.constantFrom('describe', 'create/workspace', 'missing', 'away'), fc.string(), fc.jsonValue()),
    payload: fc.jsonValue(),
    user: fc.oneof(fc.record({ email: fc.string() }), fc.jsonValue()),
    workspace: fc.oneof(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.constant(undefined),
  datagram.map((value) => JSON.stringify(value)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string({ maxLength: 200 }),
  fc.tuple(datagram, fc.nat(200)).map(([value, length]) => JSON.stringify(value).slice(0, length)),
  fc.constantFrom('{"a":1,"a":2}', '{"__proto__":{"x":1}}', '\u0000', `${'['.repeat(5_000)}`, `"${'x'.repeat(70_000)}"`),
);
const headers = fc.record(
  {
    host: fc.constantFrom('localhost', '127.0.0.1:1', 'evil.example'),
    'content-type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'application/x-www-form-urlencoded',
      'x',
      'multipart/form-data; boundary=a',
    ),
    authorization: fc.constantFrom(`Bearer ${bearer}`, 'Bearer x', 'Basic eDp4', ''),
    accept: fc.constantFrom('application/json', '*/*', 'text/event-stream', 'application/cloudevents-batch+json', ''),
    'last-event-id': fc.constantFrom('1001-0', 'x', ''),
    'idempotency-key': fc.constantFrom('k', '"k"', '""', 'x'.repeat(600)),
    origin: fc.constantFrom('null', 'http://localhost', 'https://evil.example'),
  },
  { requiredKeys: [] },
);
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'TRACE' | 'PROPFIND';
const method = fc.constantFrom<Method[]>('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND');

const refusal = z.union([errorBody, z.object({ message: z.string(), error: z.string() })]);
type Sample = readonly [how: Method, where: string, asked: string, given: Record<string, string | undefined>, content: string | undefined];

test('2,000 random requests: none ends in 500, every refusal has one shape, and it serves on', async () => {
  const statuses = new Map<number, number>();
  async function send([how, where, asked, given, content]: Sample) {
    const hasBody = content !== undefined && how !== 'GET' && how !== 'HEAD' && how !== 'TRACE';
    const answer = await request(http.base + where + asked, {
      method: how,
      headers: { host: 'localhost', ...given },
      ...(hasBody ? { body: content } : {}),
    });
    const text = await answer.body.text();
    const { statusCode: status } = answer;
    const story = `${how} ${where}${asked} ${JSON.stringify(given)} ${content?.slice(0, 200)} -> ${status} ${text}`;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    // 503 is a result of the doubles; 500 would be a bug.
    expect(status === 503 || status < 500, story).toBe(true);
    if (status >= 400 && how !== 'HEAD' && !where.startsWith('/readyz'))
      expect(refusal.safeParse(JSON.parse(text)).success, story).toBe(true);
  }
  const all = fc.sample(fc.tuple(method, path, query, headers, body), { numRuns: 2_000, seed: 20_261_201 });
  for (let i = 0; i < all.length; i += 25) await Promise.all(all.slice(i, i + 25).map(send));
  expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining([200, 400, 403, 404, 405]));
  expect((await http.call('/healthz')).status).toBe(200);
  expect(http.log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
});
