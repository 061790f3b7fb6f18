import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createSandbox, type Sandbox } from '../../../adapters/sandbox/index.ts';
import { at, namesIn, type Peer, peerOf, textAt } from '../../support/kubernetes/index.ts';

let sandbox: Sandbox;
let peer: Peer;
const path = '/api/v1/namespaces/default/configmaps';
const make = (name: string, data: object = {}) =>
  peer.call('POST', path, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data } });
const names = async () => namesIn((await peer.call('GET', path)).body);
const version = async () => textAt((await peer.call('GET', path)).body, 'metadata.resourceVersion');

beforeEach(async () => {
  sandbox = createSandbox({ clock: systemClock, tls: false, historyLimit: 50, watchBuffer: 256 * 1024, firstResourceVersion: 100 });
  await sandbox.start(AbortSignal.timeout(10_000));
  peer = peerOf(sandbox.kubeconfig());
});
afterEach(async () => {
  await peer.close();
  await sandbox.stop({ deadline: 1_000 });
});

it('answers 410 to a watch of a compacted version, and goes on from the present', async () => {
  const from = await version();
  await make('a');
  sandbox.control.compact();
  const old = await peer.watch(`${path}?watch=1&resourceVersion=${from}`);
  expect(await old.rest()).toMatchObject([
    { type: 'ERROR', object: { reason: 'Expired', code: 410, message: `too old resource version: ${from} (105)` } },
  ]);
  const fresh = await peer.watch(`${path}?watch=1&resourceVersion=${await version()}`);
  await make('b');
  expect(await fresh.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
});

it('answers 410 to a page of a compacted list, with a token for the rest', async () => {
  for (const name of ['a', 'b', 'c']) await make(name);
  const first = await peer.call('GET', `${path}?limit=1`);
  await make('d');
  sandbox.control.compact();
  const second = await peer.call('GET', `${path}?limit=1&continue=${textAt(first.body, 'metadata.continue')}`);
  expect(second).toMatchObject({
    status: 410,
    body: {
      reason: 'Expired',
      message:
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    },
  });
  const rest = await peer.call('GET', `${path}?continue=${textAt(second.body, 'metadata.continue')}`);
  expect(namesIn(rest.body)).toEqual(['b', 'c', 'd']);
});

it('forgets by itself what is past its limit of history', async () => {
  const from = await version();
  for (let count = 0; count < 60; count += 1) await make(`n-${count}`);
  const events = await peer.watch(`${path}?watch=1&resourceVersion=${from}`);
  expect(await events.rest()).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
});

it('shows an older list while it is remembered, and 410 after it', async () => {
  await make('a');
  const then = await version();
  await make('b');
  await peer.call('DELETE', `${path}/a`);
  const query = `?resourceVersion=${then}&resourceVersionMatch=Exact`;
  expect(namesIn((await peer.call('GET', `${path}${query}`)).body)).toEqual(['a']);
  sandbox.control.compact();
  expect(await peer.call('GET', `${path}${query}`)).toMatchObject({
    status: 410,
    body: { reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' },
  });
});

it('holds all answers while it is paused', async () => {
  sandbox.control.pause();
  let answered = false;
  const waiting = make('held').then((reply) => {
    answered = true;
    return reply;
  });
  // Heard, and still not answered: the request is counted before it is held.
  await until(() => sandbox.control.requestCount() === 1);
  expect([answered, sandbox.control.counts()['/configmaps']]).toEqual([false, 0]);
  sandbox.control.resume();
  expect((await waiting).status).toBe(201);
});

it('cuts connections, and keeps its objects', async () => {
  await make('kept');
  const events = await peer.watch(`${path}?watch=1&resourceVersion=${await version()}`);
  sandbox.control.dropConnections();
  await expect(events.next()).rejects.toThrow();
  expect(await names()).toEqual(['kept']);
});

it('refuses connections until it accepts them again at the same address', async () => {
  await make('kept');
  const { url } = sandbox;
  await sandbox.control.refuse();
  await expect(peer.call('GET', path)).rejects.toThrow();
  await sandbox.control.accept();
  expect(sandbox.url).toBe(url);
  expect(await names()).toEqual(['kept']);
});

it('fails the next request that fits, and no other', async () => {
  sandbox.control.failNext({
    method: 'POST',
    path: /configmaps/,
    code: 429,
    reason: 'TooManyRequests',
    message: 'slow down',
    retryAfterSeconds: 2,
  });
  expect(await names()).toEqual([]);
  const refused = await make('a');
  expect(refused).toMatchObject({
    status: 429,
    body: { reason: 'TooManyRequests', message: 'slow down', details: { retryAfterSeconds: 2 } },
  });
  expect(refused.headers['retry-after']).toBe('2');
  expect((await make('a')).status).toBe(201);
});

it('loses an answer after its effect', async () => {
  sandbox.control.failNext({ method: 'POST', afterEffect: true });
  await expect(make('done')).rejects.toThrow();
  expect(await names()).toEqual(['done']);
});

it('sends bookmarks when told to', async () => {
  const events = await peer.watch(`${path}?watch=1&allowWatchBookmarks=1&labelSelector=none&resourceVersion=${await version()}`);
  await make('unseen');
  sandbox.control.bookmark();
  expect(await events.next()).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap', metadata: { resourceVersion: '105' } } });
});

it('knows the new token only after a change', async () => {
  const old = peer;
  sandbox.control.rotateToken('second');
  expect(await old.call('GET', path)).toMatchObject({ status: 401 });
  peer = peerOf(sandbox.kubeconfig());
  expect(await peer.call('GET', path)).toMatchObject({ status: 200 });
  await old.close();
});

it('reviews the token of somebody who was admitted', async () => {
  sandbox.control.admit('of-jane', { username: 'jane@example.com', groups: ['team'] });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'of-jane' } };
  const reply = await peer.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body });
  expect(at(reply.body, 'status')).toEqual({ authenticated: true, user: { username: 'jane@example.com', groups: ['team'] } });
});

it('ends the watch of a reader that does not read', async () => {
  const { hostname, port } = new URL(sandbox.url);
  const token = /token: (\S+)/.exec(sandbox.kubeconfig())?.[1];
  const socket = connect(Number(port), hostname);
  socket.pause();
  const ended = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => {});
  socket.write(`GET ${path}?watch=1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`);
  await until(() => sandbox.control.watches() === 1);
  for (let count = 0; sandbox.control.watches() > 0 && count < 100; count += 1) await make(`n-${count}`, { text: 'x'.repeat(500_000) });
  expect(sandbox.control.watches()).toBe(0);
  socket.resume();
  await ended;
});

it('counts the requests it saw', async () => {
  await names();
  expect(sandbox.control.requests()).toMatchObject([{ method: 'GET', url: path }]);
});

it('trusts its certificate as well as its token', async () => {
  const secure = createSandbox({ clock: systemClock });
  await secure.start(AbortSignal.timeout(10_000));
  for (const user of ['token', 'certificate'] as const) {
    const known = peerOf(secure.kubeconfig({ user }));
    expect((await known.call('GET', '/api/v1/namespaces')).status).toBe(200);
    await known.close();
  }
  await secure.stop({ deadline: 1_000 });
});

/** One turn of the event loop after the other: nothing here takes longer than the sockets of this machine. */
async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setImmediate(resolve));
}
