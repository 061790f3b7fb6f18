import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createStandInPlatform } from '../../../adapters/stand-in/index.ts';
import type { Clock } from '../../../domain/ports/index.ts';
import { createFakeClock, settle } from '../../support/fake-clock/index.ts';
import { createDispatcherDouble, type Pair, startPair, until } from '../../support/platform/index.ts';
import { startTcpProxy } from '../../support/tcp-proxy/index.ts';

/** No jitter: a lost connection is dialled again at once. */
const clock: Clock = { ...systemClock, random: () => 0 };

let pair: Pair;
const more: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await pair.stop();
  for (const end of more.splice(0)) await end();
});

const portOf = (url: string) => Number(new URL(url).port);

describe('connecting', () => {
  it('keeps trying when the platform is not there at the start, and says so', async () => {
    const fake = createFakeClock();
    const standIn = createStandInPlatform();
    await standIn.start(new AbortController().signal);
    standIn.refuse(true);
    more.push(() => standIn.stop({ deadline: 0 }));
    pair = await startPair(fake, { apiUrl: standIn.apiUrl, eventUrl: standIn.eventUrl, apiClients: 1 });
    await until(() => pair.platform.links().job_0?.phase === 'waiting' && pair.platform.links().events?.phase === 'waiting');
    expect(pair.platform.links().job_0).toMatchObject({ failures: 1, reason: 'Unexpected server response: 503' });
    expect(pair.metrics.values.get('mogenius_operator_websocket_connected{connection=job_0}')).toBe(0);
    expect(fake.sleeping()).toEqual([500, 500]);
    standIn.refuse(false);
    await fake.advance(500);
    await standIn.connected('api', 1);
    await standIn.connected('events', 1);
  });

  it('waits 0.5, 1, 2, 4, 8, 16, 30, 30 s and logs the first and every tenth failure', async () => {
    const fake = createFakeClock();
    pair = await startPair(fake, { apiClients: 1, apiUrl: 'ws://127.0.0.1:1/', eventUrl: '' });
    const pauses: (number | undefined)[] = [];
    for (let failures = 1; failures <= 10; failures++) {
      await until(() => pair.platform.links().job_0?.failures === failures && pair.platform.links().job_0?.phase === 'waiting');
      await settle();
      pauses.push(fake.sleeping()[0]);
      if (failures < 10) await fake.advance(fake.sleeping()[0] ?? 0);
    }
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000, 30000]);
    expect(pair.log.lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn the platform cannot be reached; trying on {"to":"ws://127.0.0.1:1/","reason":"connect ECONNREFUSED 127.0.0.1:1","failures":1}',
      'warn the platform cannot be reached; trying on {"to":"ws://127.0.0.1:1/","reason":"connect ECONNREFUSED 127.0.0.1:1","failures":10}',
    ]);
  });

  it('gives up a handshake after 45 s', async () => {
    const fake = createFakeClock();
    const silent = createServer((socket) => void socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    more.push(() => new Promise((resolve) => silent.close(resolve)));
    const address = silent.address();
    const accepted = once(silent, 'connection');
    pair = await startPair(fake, {
      apiClients: 1,
      apiUrl: `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
      eventUrl: '',
    });
    await accepted;
    await fake.advance(45_000);
    await until(() => pair.platform.links().job_0?.phase === 'waiting');
    expect(pair.platform.links().job_0?.reason).toBe('no handshake within 45 s');
  });

  it('does without a platform', async () => {
    pair = await startPair(systemClock, { apiUrl: '', eventUrl: '' });
    pair.platform.push.push({ pattern: 'ClusterEvent', payload: {} }, { stream: 'cluster' });
    expect(pair.platform.links()).toEqual({});
    expect(pair.metrics.values.size).toBe(0);
    pair.platform.update({ apiUrl: pair.standIn.apiUrl });
    await pair.standIn.connected('api', 2);
  });
});

describe('a lost connection', () => {
  it.each([
    ['a close frame', (p: Pair) => p.standIn.close(0, 1001)],
    ['no close frame', (p: Pair) => p.standIn.drop(0)],
  ])('is made again after %s, and answers go out on the new one', async (_how, end) => {
    const double = createDispatcherDouble();
    pair = await startPair(clock, { double, apiClients: 1 });
    await pair.standIn.connected('api', 1);
    double.hold();
    const answers = [1, 2, 3].map((n) => pair.standIn.send('p', n, { id: `r${n}` }));
    await until(() => double.running === 3);
    end(pair);
    await until(() => pair.standIn.connections.length === 3 && pair.standIn.open('api') === 1);
    double.open();
    expect((await Promise.all(answers)).map(({ datagram }) => [datagram.id, datagram.payload])).toEqual([
      ['r1', { status: 'success', data: 1 }],
      ['r2', { status: 'success', data: 2 }],
      ['r3', { status: 'success', data: 3 }],
    ]);
    expect(pair.standIn.strangers.all).toEqual([]);
  });

  it('is made again after a reset', async () => {
    pair = await startPair(clock, { apiUrl: '', eventUrl: '', apiClients: 1 });
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: portOf(pair.standIn.apiUrl) });
    more.push(() => proxy.stop());
    pair.platform.update({ apiUrl: `ws://127.0.0.1:${proxy.port}/api` });
    await pair.standIn.connected('api', 1);
    await pair.standIn.send('p');
    proxy.resetAll();
    await until(() => proxy.accepted === 2);
    await until(() => pair.standIn.open('api') === 1);
    expect((await pair.standIn.send('p', 2)).datagram.payload).toEqual({ status: 'success', data: 2 });
  });

  it('100 answers wait while the platform is away and all arrive with their ids', async () => {
    const double = createDispatcherDouble();
    pair = await startPair(clock, { double, apiClients: 1 });
    await pair.standIn.connected('api', 1);
    double.hold();
    const answers = Array.from({ length: 100 }, (_, n) => pair.standIn.send('p', n, { id: `q${n}` }));
    await until(() => double.running === 50);
    pair.standIn.refuse(true);
    pair.standIn.drop(0);
    double.open();
    // Half of them were only waiting to be carried out: they are, although nobody is connected.
    await until(() => double.requests.length === 100 && double.running === 0);
    pair.standIn.refuse(false);
    const ids = (await Promise.all(answers)).map(({ datagram }) => datagram.id);
    expect(ids).toEqual(Array.from({ length: 100 }, (_, n) => `q${n}`));
    expect(pair.standIn.strangers.all).toEqual([]);
  });
});

describe('settings that change', () => {
  it('new credentials reconnect every link once, and running requests are answered on the new connection', async () => {
    const double = createDispatcherDouble();
    pair = await startPair(clock, { double });
    await pair.standIn.connected('api', 2);
    await pair.standIn.connected('events', 1);
    double.hold();
    const answer = pair.standIn.send('p', 'kept');
    await until(() => double.running === 1);
    pair.platform.update({ apiKey: 'key-2', mfaId: 'mfa-2', clusterName: 'green' });
    await until(() => pair.standIn.connections.length === 6);
    for (const { headers } of pair.standIn.connections.slice(3))
      expect(headers).toMatchObject({ 'x-authorization': 'key-2', 'x-cluster-mfa-id': 'mfa-2', 'x-cluster-name': 'green' });
    expect(pair.standIn.connections.slice(0, 3).map(({ closed }) => closed)).toEqual([1000, 1000, 1000]);
    double.open();
    expect((await answer).datagram.payload).toEqual({ status: 'success', data: 'kept' });
    pair.platform.update({ apiKey: 'key-2' });
    expect(Object.values(pair.platform.links()).map(({ phase }) => phase)).toEqual(['connected', 'connected', 'connected']);
  });

  it('a new API address moves the API links, a new event address the event link, and neither the other', async () => {
    const other = createStandInPlatform();
    await other.start(new AbortController().signal);
    more.push(() => other.stop({ deadline: 0 }));
    pair = await startPair(clock);
    await pair.standIn.connected('api', 2);
    await pair.standIn.connected('events', 1);
    pair.platform.update({ apiUrl: other.apiUrl });
    await other.connected('api', 2);
    expect([other.open('events'), pair.standIn.open('events'), pair.standIn.open('api')]).toEqual([0, 1, 0]);
    pair.platform.update({ eventUrl: other.eventUrl });
    await other.connected('events', 1);
    expect(pair.standIn.open('events')).toBe(0);
    expect(() => pair.platform.update({ apiUrl: 'http://127.0.0.1/' })).toThrow("the platform's address needs to be a ws or wss URL");
  });

  it('a change ends the wait for the next dial', async () => {
    const fake = createFakeClock();
    pair = await startPair(fake, { apiUrl: 'ws://127.0.0.1:1/', eventUrl: '', apiClients: 1 });
    await until(() => pair.platform.links().job_0?.phase === 'waiting');
    pair.platform.update({ apiUrl: pair.standIn.apiUrl });
    await pair.standIn.connected('api', 1);
  });
});

describe('stopping', () => {
  it('answers what runs, refuses what comes, and closes with 1000', async () => {
    const double = createDispatcherDouble();
    pair = await startPair(clock, { double, apiClients: 1 });
    await pair.standIn.connected('api', 1);
    double.hold();
    const running = pair.standIn.send('p', 1);
    await until(() => double.running === 1);
    const stopping = pair.platform.stop({ deadline: 10_000 });
    await expect(pair.standIn.send('p', 2)).resolves.toMatchObject({
      datagram: { payload: { status: 'error', statusCode: 503, message: 'the operator is shutting down' } },
    });
    double.open();
    expect((await running).datagram.payload).toEqual({ status: 'success', data: 1 });
    expect(await stopping).toEqual({ dropped: [] });
    await until(() => pair.standIn.connections.every(({ closed }) => closed !== undefined));
    expect(pair.standIn.connections.map(({ closed }) => closed)).toEqual([1000, 1000]);
    expect(Object.values(pair.platform.links()).map(({ phase }) => phase)).toEqual(['stopped', 'stopped']);
  });

  it('reports what the deadline cut off', async () => {
    const double = createDispatcherDouble();
    const fake = createFakeClock();
    pair = await startPair(fake, { double, apiClients: 1 });
    await pair.standIn.connected('api', 1);
    double.hold();
    const lost = pair.standIn.send('p', 1, { timeout: 600_000 }).catch(() => 'never answered');
    await until(() => double.running === 1);
    const stopping = pair.platform.stop({ deadline: 5000 });
    await fake.advance(5000);
    expect(await stopping).toEqual({ dropped: ['job_0: 1 requests without an answer'] });
    double.open();
    void lost;
  });
});
