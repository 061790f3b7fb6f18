import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createFakeClock } from '../../support/fake-clock/index.ts';
import { createDispatcherDouble, type Pair, startPair, until } from '../../support/platform/index.ts';
import { startTcpProxy } from '../../support/tcp-proxy/index.ts';

let pair: Pair;
const more: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await pair.stop();
  for (const end of more.splice(0)) await end();
});

const portOf = (url: string) => Number(new URL(url).port);

/** Passes bytes both ways until it is told to swallow all of them, on the connections that are open then; nobody is told. */
async function startSwallowing(port: number) {
  let deaf = new Set<Socket>();
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    open.add(near);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.on('data', (bytes) => deaf.has(near) || far.write(bytes));
    far.on('data', (bytes) => deaf.has(near) || near.write(bytes));
    near.once('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  more.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of open) socket.destroy();
      }),
  );
  return {
    url: `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api`,
    swallow() {
      deaf = new Set(open);
    },
  };
}

it('an answer that vanished in a half-open connection is sent again on the next one', async () => {
  const clock = createFakeClock();
  const double = createDispatcherDouble();
  pair = await startPair(clock, { double, apiUrl: '', eventUrl: '', apiClients: 1 });
  const proxy = await startSwallowing(portOf(pair.standIn.apiUrl));
  pair.platform.update({ apiUrl: proxy.url });
  await until(() => pair.platform.links().job_0?.phase === 'connected');
  double.hold();
  const answer = pair.standIn.send('p', 'precious', { timeout: 600_000 });
  await until(() => double.running === 1);
  proxy.swallow();
  double.open();
  await until(() => double.running === 0);
  await clock.advance(93_000);
  expect(pair.log.lines).toContain('info connection ended {"reason":"nothing was heard for 90 s"}');
  await clock.advance(1000);
  expect((await answer).datagram.payload).toEqual({ status: 'success', data: 'precious' });
  expect(double.requests.length).toBe(1);
});

it('an answer that arrived, but whose pong did not, comes twice with the same id', async () => {
  const clock = createFakeClock();
  pair = await startPair(clock, { apiUrl: '', eventUrl: '', apiClients: 1 });
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: portOf(pair.standIn.apiUrl) });
  more.push(() => proxy.stop());
  pair.platform.update({ apiUrl: `ws://127.0.0.1:${proxy.port}/api` });
  await until(() => pair.platform.links().job_0?.phase === 'connected');
  await pair.standIn.send('p', 1, { id: 'once' });
  proxy.blackHole();
  await clock.advance(93_000);
  proxy.heal();
  await clock.advance(1000);
  await until(() => pair.standIn.repeats.count === 1);
  expect(pair.standIn.repeats.all[0]).toMatchObject({ id: 'once', payload: { status: 'success', data: 1 } });
  expect(pair.standIn.strangers.all).toEqual([]);
});

it('the same datagram on two links reaches the dispatcher twice under one id, and each link answers', async () => {
  const clock = createFakeClock();
  const double = createDispatcherDouble(({ payload }) => ({ status: 'success', data: payload }));
  pair = await startPair(clock, { double });
  await pair.standIn.connected('api', 2);
  double.hold();
  const answers = [
    pair.standIn.send('create/workspace', { n: 1 }, { id: 'twin', link: 0 }),
    pair.standIn.send('create/workspace', { n: 1 }, { id: 'twin', link: 1 }),
    pair.standIn.send('create/workspace', { n: 2 }, { id: 'later', link: 0 }),
  ];
  await until(() => double.running === 3);
  expect(double.requests.map(({ id }) => id).sort()).toEqual(['later', 'twin', 'twin']);
  double.open();
  expect((await Promise.all(answers)).map(({ datagram }) => [datagram.id, datagram.payload])).toEqual([
    ['twin', { status: 'success', data: { n: 1 } }],
    ['twin', { status: 'success', data: { n: 1 } }],
    ['later', { status: 'success', data: { n: 2 } }],
  ]);
});

it('requests of one link begin in the order they came, also when more wait than may run', async () => {
  const clock = createFakeClock();
  const double = createDispatcherDouble();
  pair = await startPair(clock, { double, apiClients: 1 });
  await pair.standIn.connected('api', 1);
  await Promise.all(Array.from({ length: 500 }, (_, n) => pair.standIn.send('p', n)));
  expect(double.requests.map(({ payload }) => payload)).toEqual(Array.from({ length: 500 }, (_, n) => n));
});
