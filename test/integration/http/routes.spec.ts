import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { eventOf, type Harness, openHttp } from '../../support/http/index.ts';

const shop = 'object/mogenius.com/workspaces/mogenius/shop' as const;
let http: Harness;
beforeAll(async () => {
  http = await openHttp();
  http.events.push(
    eventOf(1),
    eventOf(2, { id: 'c1/outcome/2', type: 'ObjectAppeared', stream: shop, commandid: 'c1', causationid: 'c1/accepted/1' }),
    eventOf(3, { actor: { source: 'platform', email: 'ann@example.com' } }),
  );
});
afterAll(() => http.stop());

const json = { headers: { accept: 'application/json' } };

describe('open to anybody', () => {
  test('/healthz tells the version', async () => {
    const { status, body } = await http.call('/healthz');
    expect(status).toBe(200);
    expect(body).toEqual({ version: '1.2.3', branch: 'main', hash: 'abc123', buildAt: '2026-01-01T00:00:00.000Z' });
  });

  test('/readyz tells each dependency', async () => {
    const { status, body } = await http.call('/readyz');
    expect(status).toBe(200);
    expect(body).toEqual({ ready: true, dependencies: [{ name: 'valkey', state: 'ok', required: true }] });
  });

  test('/metrics counts requests by route, never by path', async () => {
    await http.call('/api/v1/commands/a-name-of-somebody');
    const { text, headers } = await http.call('/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain(
      'mogenius_operator_http_request_duration_seconds_count{route="/api/v1/commands/:id",method="GET",status="404"} 1',
    );
    expect(text).not.toContain('a-name-of-somebody');
  });
});

describe('the wire of the former operator', () => {
  test('/status', async () => {
    const { body } = await http.call('/status');
    expect(body).toEqual({ reconciler: { is_active: true, results: [] }, socketapi: { is_running: true } });
  });

  test('/socketapi answers the datagram with its payload replaced', async () => {
    const { status, body, headers } = await http.post('/socketapi', {
      id: 'd1',
      pattern: 'describe',
      payload: { a: 1 },
      user: { email: 'ann@example.com' },
      workspace: 'shop',
      zlib: true,
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      id: 'd1',
      pattern: 'describe',
      payload: { status: 'success', data: { id: 'd1', payload: { a: 1 } } },
      user: { email: 'ann@example.com', apiKey: {} },
      workspace: 'shop',
      zlib: true,
    });
  });

  test('/socketapi gives an id to a datagram without one, and 200 to failures', async () => {
    const { status, body } = await http.post('/socketapi', { pattern: 'away' });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9]{21}$/),
      pattern: 'away',
      user: { apiKey: {} },
      payload: { status: 'error', message: "the event log can't be reached: connection refused", statusCode: 503, data: null },
    });
  });

  test('/socketapi says an unknown pattern in its own words', async () => {
    const { status, body } = await http.post('/socketapi', { id: 'd2', pattern: 'no/such' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ payload: { status: 'error', message: 'Pattern not found' } });
  });

  test.each([
    ['{"id":"x', 'the datagram is no valid JSON'],
    ['', 'the frame is empty'],
    ['[]', 'the datagram is no JSON object'],
    ['{"id":"x"}', "validaten failed for datagram: Field 'Pattern' failed validation, Condition: required"],
  ])('/socketapi refuses %j with an escaped text', async (body, text) => {
    const answer = await http.call('/socketapi', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ message: 'failed to decode request body as datagram', error: text });
  });

  test('/spec.yaml is YAML with sorted keys, JSON when asked for', async () => {
    const yaml = await http.call('/spec.yaml');
    expect(yaml.headers.get('content-type')).toBe('text/yaml; charset=utf-8');
    expect(yaml.text.startsWith('describe:\n')).toBe(true);
    const asJson = await http.call('/spec.yaml', json);
    expect(asJson.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(asJson.body).toEqual({ describe: { requestSchema: {} }, 'get/workspaces': { requestSchema: { typeInfo: { type: 'struct' } } } });
    expect(parse(yaml.text)).toEqual(asJson.body);
  });
});

test('the page of the API needs nothing from elsewhere', async () => {
  const { text, headers } = await http.call('/api-doc');
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'sha256-");
  expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
});

describe('events', () => {
  test('are a batch of CloudEvents that leads on', async () => {
    const { status, headers, body } = await http.call('/api/v1/events?limit=2&type=CommandAccepted');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/cloudevents-batch+json; charset=utf-8');
    expect(headers.get('link')).toBe('</api/v1/events?limit=2&type=CommandAccepted&after=1003-0>; rel="next"');
    expect(body).toEqual([
      {
        specversion: '1.0',
        id: 'c1/accepted/1',
        source: '/clusters/test',
        type: 'CommandAccepted',
        subject: 'command/c1',
        time: '2026-01-01T00:00:00.000Z',
        datacontenttype: 'application/json',
        dataschema: 'urn:mogenius:event:CommandAccepted:1',
        data: { pattern: 'create/workspace', n: 1 },
        position: '1001-0',
        version: 1,
        commandid: 'c1',
      },
      expect.objectContaining({ position: '1003-0', actor: { source: 'platform', email: 'ann@example.com' } }),
    ]);
  });

  test.each([
    ['after=1001-0', ['1002-0', '1003-0']],
    ['after=1003-0', []],
    ['type=ObjectAppeared', ['1002-0']],
    ['stream=object/mogenius.com/', ['1002-0']],
    ['stream=command/c3', ['1003-0']],
    ['command=c1', ['1001-0', '1002-0']],
    ['limit=1', ['1001-0']],
  ])('are filtered by %s', async (query, positions) => {
    const { body } = await http.call(`/api/v1/events?${query}`, json);
    expect(body).toMatchObject({ items: positions.map((position) => ({ position })), end: query !== 'limit=1' });
  });

  test('one is found by its position', async () => {
    const { status, headers, body } = await http.call('/api/v1/events/1002-0');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/cloudevents+json; charset=utf-8');
    expect(body).toMatchObject({ id: 'c1/outcome/2', subject: shop, causationid: 'c1/accepted/1' });
    expect(await http.call('/api/v1/events/1002-1')).toMatchObject({ status: 404, body: { error: { code: 'EVENT_NOT_FOUND' } } });
    expect(await http.call('/api/v1/events/0-0')).toMatchObject({ status: 404 });
  });

  test('a filter that fits nothing ends at the bound of what is looked at, and says where to go on', async () => {
    const small = await openHttp({ limits: { scan: 250 } });
    small.events.push(...Array.from({ length: 600 }, (_, n) => eventOf(n)));
    const { body } = await small.call('/api/v1/events?type=Never', json);
    expect(body).toEqual({ items: [], next: '1299-0', end: false });
    await small.stop();
  });
});

test('views are paged', async () => {
  const page = (items: unknown) => ({ status: 200, body: { items: [items], total: 1 } });
  expect(await http.call('/api/v1/commands')).toMatchObject(page({ id: 'c1', phase: 'succeeded' }));
  expect(await http.call('/api/v1/commands/c1')).toMatchObject({ status: 200, body: { id: 'c1' } });
  expect(await http.call('/api/v1/commands/c1/chain')).toMatchObject({
    body: { items: [{ id: 'c1/accepted/1' }, { id: 'c1/outcome/2' }] },
  });
  expect(await http.call('/api/v1/audit-log?workspace=shop&search=ann')).toMatchObject(
    page({ pattern: 'create/workspace', diff: '+name: shop' }),
  );
  expect(await http.call('/api/v1/audit-log/c1')).toMatchObject({ body: { requestId: 'c1', outcome: 'succeeded' } });
  expect(await http.call('/api/v1/parked')).toMatchObject(page({ command: 'c9', attempts: 5 }));
  expect(await http.call('/api/v1/projections')).toMatchObject({ body: { items: [{ name: 'audit-log', lag: 0 }] } });
});

test('what is not there is 404, by its own code', async () => {
  const missing = (code: string) => ({ status: 404, body: { error: { code, status: 404 } } });
  expect(await http.call('/api/v1/commands/no')).toMatchObject(missing('COMMAND_NOT_FOUND'));
  expect(await http.call('/api/v1/commands/no/chain')).toMatchObject(missing('COMMAND_NOT_FOUND'));
  expect(await http.call('/api/v1/audit-log/no')).toMatchObject(missing('COMMAND_NOT_FOUND'));
  expect(await http.call('/api/v1/audit-log?workspace=no')).toMatchObject(missing('OBJECT_NOT_FOUND'));
  expect(await http.post('/api/v1/projections/no/rebuild', {})).toMatchObject(missing('VIEW_NOT_FOUND'));
  expect(await http.post('/api/v1/projections/no/verify', {})).toMatchObject(missing('VIEW_NOT_FOUND'));
  expect(await http.post('/api/v1/parked/no/retry', {})).toMatchObject(missing('PARKED_NOT_FOUND'));
  expect(await http.call('/api/v1/nothing')).toMatchObject(missing('ROUTE_UNKNOWN'));
});

test('parked commands are retried and discarded, views rebuilt and verified', async () => {
  expect(await http.post('/api/v1/parked/c9/retry', {})).toMatchObject({ status: 200, body: { id: 'c9', outcome: 'queued' } });
  expect(await http.call('/api/v1/parked/c9/discard', { method: 'POST' })).toMatchObject({
    status: 200,
    body: { id: 'c9', outcome: 'discarded' },
  });
  expect(await http.post('/api/v1/projections/audit-log/rebuild', {})).toMatchObject({
    status: 200,
    body: { name: 'audit-log', generation: 2 },
  });
  expect(await http.post('/api/v1/projections/audit-log/verify', {})).toMatchObject({ body: { equal: true, rows: 3, differences: [] } });
});

test('a rebuild tells its progress as events', async () => {
  const answer = await http.call('/api/v1/projections/audit-log/rebuild', { method: 'POST', headers: { accept: 'text/event-stream' } });
  expect(
    answer.text
      .split('\n\n')
      .filter(Boolean)
      .map((message) => message.split('\n')),
  ).toMatchObject([
    ['retry: 1000'],
    ['event: progress', 'data: {"progress":0.6666666666666666,"events":2}'],
    ['event: done', expect.stringContaining('"name":"audit-log"')],
    ['event: end', 'data: {"reason":"done"}'],
  ]);
});

test('an export is imported again', async () => {
  const { body } = await http.call('/api/v1/events', json);
  const { items } = body as { items: unknown[] };
  expect(await http.post('/api/v1/events/import', { events: items })).toMatchObject({ status: 200, body: { imported: 3, known: 0 } });
  expect(await http.post('/api/v1/events/import', { events: [{ type: 'X' }] })).toMatchObject({ status: 400 });
});
