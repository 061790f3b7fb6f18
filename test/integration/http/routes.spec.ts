import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventOf, type Harness, openHttp } from '../../support/http/index.ts';

let http: Harness;
beforeAll(async () => {
  http = await openHttp();
  http.events.push(eventOf(1), eventOf(2, { type: 'ObjectAppeared', stream: 'object/mogenius.com/workspaces/mogenius/shop' }), eventOf(3));
});
afterAll(() => http.stop());

test('the version is told to anybody', async () => {
  const { status, body } = await http.call('/healthz', { headers: { host: 'evil.example' } });
  expect(status).toBe(200);
  expect(body).toEqual({ version: '1.2.3', branch: 'main', hash: 'abc123', buildAt: '2026-01-01T00:00:00.000Z' });
});

test('a command is answered with its id, its result and the status of that', async () => {
  const made = await http.post('/api/v1/commands', { id: 'c1', pattern: 'create/workspace', payload: { name: 'shop' } });
  expect(made.status).toBe(200);
  expect(made.body).toEqual({ id: 'c1', result: { status: 'success', message: 'Resource created successfully', data: '' } });
});
