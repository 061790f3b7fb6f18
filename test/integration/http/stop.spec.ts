import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Result } from '../../../domain/ports/index.ts';
import { createFakeClock, settle } from '../../support/fake-clock/index.ts';
import { type Harness, openHttp, openStream } from '../../support/http/index.ts';

const open: Harness[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.stop()));
});

/** A dispatcher that answers when it is told to. */
function held() {
  const answers: ((result: Result) => void)[] = [];
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const dispatch = () =>
    new Promise<Result>((resolve) => {
      answers.push(resolve);
      begun();
    });
  return {
    parts: { dispatcher: { dispatch, patterns: () => ({}) } },
    started,
    answer: (result: Result) => {
      for (const one of answers) one(result);
    },
  };
}

describe('before everything is there', () => {
  test('health and metrics answer, readiness says it starts, the rest waits with 503', async () => {
    const http = await openHttp({ bare: true });
    open.push(http);
    expect((await http.call('/healthz')).status).toBe(200);
    expect((await http.call('/metrics')).status).toBe(200);
    expect(await http.call('/readyz')).toMatchObject({
      status: 503,
      body: { ready: false, dependencies: [{ name: 'operator', state: 'unknown', reason: 'it is starting', required: true }] },
    });
    expect(await http.call('/status')).toMatchObject({
      body: { reconciler: { is_active: false, results: [] }, socketapi: { is_running: false } },
    });
    const calls = [
      http.call('/spec.yaml'),
      http.post('/socketapi', { pattern: 'describe' }),
      http.post('/api/v1/commands', { pattern: 'describe' }),
      ...['commands', 'commands/c1', 'audit-log', 'events', 'events/1-0', 'events/stream', 'workspaces', 'projections', 'parked'].map(
        (path) => http.call(`/api/v1/${path}`),
      ),
    ];
    for (const answer of await Promise.all(calls)) {
      expect(answer).toMatchObject({ status: 503, body: { error: { code: 'NOT_READY', status: 503 } } });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
  });

  test('what is handed in later serves from then on', async () => {
    const http = await openHttp({ bare: true });
    open.push(http);
    http.api.provide({
      health: { dependencies: async () => [{ name: 'valkey', state: 'failed', required: true, reason: 'connection refused' }] },
      auditLog: { list: async () => ({ entries: [], total: 0 }), one: async () => undefined },
    });
    expect(await http.call('/readyz')).toMatchObject({
      status: 503,
      body: { ready: false, dependencies: [{ name: 'valkey', state: 'failed' }] },
    });
    expect(await http.call('/api/v1/audit-log')).toMatchObject({ status: 200, body: { items: [], total: 0 } });
  });

  test.each([
    ['ok', true, 200],
    ['degraded', true, 200],
    ['failed', false, 200],
    ['failed', true, 503],
    ['unknown', true, 503],
  ] as const)('a dependency that is %s (required: %s) makes readiness %i', async (state, required, status) => {
    const http = await openHttp({ parts: { health: { dependencies: async () => [{ name: 'platform', state, required }] } } });
    open.push(http);
    expect((await http.call('/readyz')).status).toBe(status);
  });

  test('a dependency check that fails is no readiness', async () => {
    const http = await openHttp({ parts: { health: { dependencies: () => Promise.reject(new Error('no answer')) } } });
    open.push(http);
    expect(await http.call('/readyz')).toMatchObject({ status: 503, body: { dependencies: [{ state: 'unknown', reason: 'no answer' }] } });
  });
});

describe('stopping', () => {
  test('lets what is under way finish, refuses what is new, and ends streams with a reason', async () => {
    const { parts, started, answer } = held();
    const http = await openHttp({ parts });
    const slow = http.post('/api/v1/commands', { id: 'c1', pattern: 'create/workspace' });
    const stream = await openStream(`${http.base}/api/v1/events/stream`);
    await started;

    http.api.drain();
    expect(await http.call('/readyz')).toMatchObject({
      status: 503,
      body: { dependencies: [{ state: 'failed', reason: 'it is stopping' }] },
    });
    expect((await http.call('/healthz')).status).toBe(200);
    expect(await http.post('/api/v1/commands', { pattern: 'describe' })).toMatchObject({
      status: 503,
      body: { error: { code: 'SHUTTING_DOWN' } },
    });

    const stopped = http.api.stop({ deadline: 30_000 });
    expect(await stream.next()).toMatchObject({ event: 'end', data: expect.stringContaining('"reason":"stopping"') });
    expect(await stream.next()).toBeUndefined();
    answer({ status: 'success', message: 'done', data: '' });
    const answered = await slow;
    expect(answered).toMatchObject({ status: 200, body: { id: 'c1', result: { message: 'done' } } });
    expect(await stopped).toEqual({ dropped: [] });
    await expect(fetch(http.base)).rejects.toThrow();
  });

  test('does not wait for connections that are kept alive or never ask', async () => {
    const http = await openHttp();
    await http.call('/healthz');
    const silent = connect(http.api.port(), '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    silent.on('error', () => undefined);
    expect(await http.api.stop({ deadline: 30_000 })).toEqual({ dropped: [] });
    silent.destroy();
  });

  test('cuts what is not answered by the deadline and says so', async () => {
    const clock = createFakeClock();
    const { parts, started } = held();
    const http = await openHttp({ clock, parts });
    const slow = http.post('/api/v1/commands', { id: 'c1', pattern: 'create/workspace' }).catch(() => 'cut');
    await started;
    const stopped = http.api.stop({ deadline: 10_000 });
    for (let i = 0; i < 1_000 && !clock.sleeping().includes(10_000); i++) await settle(1);
    await clock.advance(10_000);
    expect(await stopped).toEqual({ dropped: ['1 request not answered in time'] });
    expect(await slow).toBe('cut');
  });

  test('twice is once', async () => {
    const http = await openHttp();
    expect(await Promise.all([http.api.stop({ deadline: 1_000 }), http.api.stop({ deadline: 1_000 })])).toEqual([
      { dropped: [] },
      { dropped: [] },
    ]);
  });
});

test('a port in use fails the start', async () => {
  const http = await openHttp();
  open.push(http);
  await expect(openHttp({ address: `127.0.0.1:${http.api.port()}` })).rejects.toMatchObject({
    code: 'HTTP_ADDRESS_UNUSABLE',
    message: expect.stringContaining('EADDRINUSE'),
  });
});

test.each(['1337', 'localhost', 'localhost:', ':70000', 'a:b:1', ''])('the address %j is refused', async (address) => {
  await expect(openHttp({ address })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
});

test('an address without host serves all interfaces', async () => {
  const http = await openHttp({ address: ':0' });
  open.push(http);
  expect((await fetch(`http://127.0.0.1:${http.api.port()}/healthz`)).status).toBe(200);
});
