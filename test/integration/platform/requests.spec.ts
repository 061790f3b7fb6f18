import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createDispatcherDouble, type Pair, startPair, until } from '../../support/platform/index.ts';

let pair: Pair;
afterEach(() => pair.stop());

describe('requests over the API links', () => {
  it('shakes hands with all six headers, on every link', async () => {
    pair = await startPair(systemClock);
    await pair.standIn.connected('api', 2);
    await pair.standIn.connected('events', 1);
    const headers = {
      'x-authorization': 'key-1',
      'x-cluster-mfa-id': 'mfa-1',
      'x-app': 'k8s',
      'x-app-version': '9.9.9',
      'x-cluster-name': 'blue',
      'x-app-namespace': 'mogenius',
    };
    expect(pair.standIn.connections.map(({ kind, headers: sent }) => [kind, sent]).sort()).toEqual([
      ['api', headers],
      ['api', headers],
      ['events', headers],
    ]);
    await until(() => Object.values(pair.platform.links()).every(({ phase }) => phase === 'connected'));
    expect(Object.keys(pair.platform.links())).toEqual(['events', 'job_0', 'job_1']);
    for (const connection of ['events', 'job_0', 'job_1'])
      expect(pair.metrics.values.get(`mogenius_operator_websocket_connected{connection=${connection}}`)).toBe(1);
  });

  it('answers each on the link it came on, with who asked', async () => {
    pair = await startPair(systemClock);
    await pair.standIn.connected('api', 2);
    const { datagram } = await pair.standIn.send('get/workspace', { name: 'shop' }, { id: 'q7Kd', link: 1, workspace: 'shop' });
    expect(datagram).toEqual({
      id: 'q7Kd',
      pattern: 'get/workspace',
      user: { apiKey: {} },
      payload: { status: 'success', data: { name: 'shop' } },
    });
    expect(pair.dispatcher.requests).toMatchObject([
      {
        id: 'q7Kd',
        pattern: 'get/workspace',
        payload: { name: 'shop' },
        workspace: 'shop',
        actor: { source: 'platform', firstName: 'Ann', lastName: 'Lee', email: 'ann@example.org', origin: 'stand-in' },
      },
    ]);
  });

  it('reads and writes compressed payloads', async () => {
    pair = await startPair(systemClock);
    await pair.standIn.connected('api', 2);
    const big = { text: 'lorem ipsum '.repeat(5000) };
    const answered = await pair.standIn.send('p', big, { zlib: true });
    expect(answered.compressed).toBe(true);
    expect(answered.datagram.payload).toEqual({ status: 'success', data: big });
    expect((await pair.standIn.send('p', 'short', { zlib: true })).compressed).toBe(false);
  });

  it('answers what is no zlib, and what grows without end, with 400', async () => {
    pair = await startPair(systemClock);
    await pair.standIn.connected('api', 2);
    pair.standIn.raw(JSON.stringify({ id: 'z1', pattern: 'p', payload: 'bm90IHpsaWI=', zlib: true }));
    await until(() => pair.standIn.strangers.count === 1);
    expect(pair.standIn.strangers.all[0]).toMatchObject({
      id: 'z1',
      payload: { status: 'error', statusCode: 400, message: 'failed to decompress payload: incorrect header check', data: null },
    });
    const bomb = await pair.standIn.send('p', 'x'.repeat(64 * 1024 * 1024), { zlib: true });
    expect(bomb.datagram.payload).toMatchObject({
      statusCode: 400,
      message: 'failed to decompress payload: it is larger than 67108864 bytes when decompressed',
    });
    expect(pair.dispatcher.requests).toEqual([]);
  });

  it('answers an unknown pattern without data and statusCode', async () => {
    const double = createDispatcherDouble(({ pattern }) => ({
      status: 'error',
      message: `No handler for pattern '${pattern}' found`,
      unknownPattern: true,
    }));
    pair = await startPair(systemClock, { double });
    await pair.standIn.connected('api', 2);
    expect((await pair.standIn.send('no/such')).datagram.payload).toEqual({
      status: 'error',
      message: "No handler for pattern 'no/such' found",
    });
  });

  it('answers 500 when a handler throws or its result is no JSON', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const double = createDispatcherDouble(({ pattern }) => {
      if (pattern === 'throws') throw new TypeError('canary');
      return { status: 'success', data: pattern === 'circle' ? circle : 1n };
    });
    pair = await startPair(systemClock, { double });
    await pair.standIn.connected('api', 2);
    for (const pattern of ['throws', 'circle', 'bigint'])
      expect((await pair.standIn.send(pattern, null, { id: pattern })).datagram.payload).toEqual({
        status: 'error',
        message: `internal error while handling "${pattern}"`,
        statusCode: 500,
        data: null,
      });
  });

  it('answers a request of text and one of binary alike', async () => {
    pair = await startPair(systemClock);
    await pair.standIn.connected('api', 2);
    pair.standIn.raw(Buffer.from('{"id":"b1","pattern":"p","payload":"ü"}'));
    await until(() => pair.standIn.strangers.count === 1);
    expect(pair.standIn.strangers.all[0]).toMatchObject({ id: 'b1', payload: { data: 'ü' } });
  });

  it('runs requests of one link side by side: a quick one overtakes a slow one', async () => {
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const double = createDispatcherDouble(async ({ pattern }) => {
      if (pattern === 'slow') await slow;
      return { status: 'success', data: pattern };
    });
    pair = await startPair(systemClock, { double, apiClients: 1 });
    await pair.standIn.connected('api', 1);
    const order: unknown[] = [];
    const first = pair.standIn.send('slow').then(({ datagram }) => order.push(datagram.pattern));
    await pair.standIn.send('quick').then(({ datagram }) => order.push(datagram.pattern));
    finish();
    await first;
    expect(order).toEqual(['quick', 'slow']);
  });
});
