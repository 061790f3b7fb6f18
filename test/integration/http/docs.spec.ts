import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultLimits } from '../../../adapters/http/index.ts';
import { curlLines, eventOf, type Harness, openHttp, openStream } from '../../support/http/index.ts';

const page = readFileSync('docs/http-api.md', 'utf8');
const lines = curlLines(page);
const local = 'http://localhost:1337';

let http: Harness;
beforeAll(async () => {
  http = await openHttp();
  http.events.push(eventOf(1), eventOf(2, { commandid: 'c1', type: 'CommandSucceeded' }));
});
afterAll(() => http.stop());

test('the page has its examples', () => {
  expect(lines.length).toBeGreaterThan(25);
});

test.each(lines.map((one) => [one.line, one] as const))('%s', async (_, { url, method, headers, body, expected }) => {
  expect(url.startsWith(`${local}/`)).toBe(true);
  const path = url.slice(local.length);
  if (path.includes('/stream')) {
    const stream = await openStream(http.base + path, headers);
    expect(await stream.next()).toMatchObject({ event: 'message', id: '1001-0' });
    stream.close();
    return;
  }
  const answer = await http.call(path, { method, headers: { ...headers }, ...(body === undefined ? {} : { body }) });
  expect(answer.status, answer.text).toBe(expected?.status ?? 200);
  if (expected) expect(answer.body).toEqual(expected.body);
});

test('every route of the OpenAPI document stands on the page, and the other way round', async () => {
  const { paths } = z.object({ paths: z.record(z.string(), z.unknown()) }).parse((await http.call('/api/v1/openapi.json')).body);
  const tried = lines.map(({ url }) => new URL(url).pathname);
  const fits = (path: string) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
  const unnamed = Object.keys(paths).filter((path) => !tried.some((one) => fits(path).test(one)));
  // Importing needs a file of an export; users and grants are asked for as workspaces are.
  expect(unnamed).toEqual(['/api/v1/events/import', '/api/v1/users/{name}', '/api/v1/grants/{name}']);
});

test('the limits of the page are the defaults', () => {
  expect(defaultLimits).toMatchObject({
    body: 2 * 1024 * 1024,
    headers: 64 * 1024,
    headerTimeout: 10_000,
    requestTimeout: 60_000,
    rate: 100,
    burst: 200,
    scan: 200_000,
    streams: 64,
    slowReader: 30_000,
    heartbeat: 15_000,
    connections: 4_096,
    idleTimeout: 120_000,
  });
});
