import { afterEach, expect, test } from 'vitest';
import { StoreUnavailable } from '../../../domain/errors.ts';
import { createFakeClock, settle } from '../../support/fake-clock/index.ts';
import { eventOf, type Harness, type OpenStream, openHttp, openStream, openUnread } from '../../support/http/index.ts';

const open: Harness[] = [];
const start = async (options: Parameters<typeof openHttp>[0] = {}) => {
  const http = await openHttp(options);
  open.push(http);
  return http;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.stop()));
});

const stream = (http: Harness, query = '', headers: Record<string, string> = {}) =>
  openStream(`${http.base}/api/v1/events/stream${query}`, headers);

async function take(from: OpenStream, count: number) {
  const ids: (string | undefined)[] = [];
  for (let i = 0; i < count; i++) ids.push((await from.next())?.id);
  return ids;
}

/** Lets the server turn until something is so. Bounded: it gives up after many turns. */
async function until(is: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !is(); turn++) await settle(1);
  expect(is()).toBe(true);
}

test('what the log has and what comes later is one sequence, each event once', async () => {
  const http = await start();
  http.events.push(eventOf(1), eventOf(2));
  const reader = await stream(http, '?after=0-0');
  expect(reader.status).toBe(200);
  expect(reader.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(reader.headers.get('cache-control')).toBe('no-store');
  expect(await reader.next()).toEqual({ event: 'message', id: '1001-0', data: expect.stringContaining('"specversion":"1.0"') });
  http.events.push(eventOf(3), eventOf(4));
  expect(await take(reader, 3)).toEqual(['1002-0', '1003-0', '1004-0']);
  http.events.push(eventOf(5));
  expect(await take(reader, 1)).toEqual(['1005-0']);
  reader.close();
});

test('without a place it begins with what comes from now on', async () => {
  const http = await start();
  http.events.push(eventOf(1));
  const reader = await stream(http);
  http.events.push(eventOf(2));
  expect(await take(reader, 1)).toEqual(['1002-0']);
  reader.close();
});

test('Last-Event-ID takes it up behind that event', async () => {
  const http = await start();
  http.events.push(...Array.from({ length: 500 }, (_, n) => eventOf(n)));
  const reader = await stream(http, '?after=0-0', { 'last-event-id': '1497-0' });
  expect(await take(reader, 2)).toEqual(['1498-0', '1499-0']);
  reader.close();
});

test('the filters are those of the pages', async () => {
  const http = await start();
  http.events.push(eventOf(1), eventOf(2, { type: 'ObjectAppeared', commandid: 'c1' }), eventOf(3));
  const byType = await stream(http, '?after=0-0&type=ObjectAppeared');
  const byCommand = await stream(http, '?after=0-0&command=c1');
  const byStream = await stream(http, '?after=0-0&stream=command/c3');
  expect(await take(byType, 1)).toEqual(['1002-0']);
  expect(await take(byCommand, 2)).toEqual(['1001-0', '1002-0']);
  expect(await take(byStream, 1)).toEqual(['1003-0']);
  for (const one of [byType, byCommand, byStream]) one.close();
});

test('ten readers cost the log one follower, and none when they are gone', async () => {
  const http = await start();
  const readers = await Promise.all(Array.from({ length: 10 }, () => stream(http)));
  await until(() => http.events.followers === 1);
  http.events.push(eventOf(1));
  for (const reader of readers) expect(await take(reader, 1)).toEqual(['1001-0']);
  expect(http.events.followers).toBe(1);
  for (const reader of readers) reader.close();
  await until(() => http.events.followers === 0);
});

test('a quiet stream says that it lives and where it stands', async () => {
  const clock = createFakeClock();
  const http = await start({ clock });
  http.events.push(eventOf(1), eventOf(2));
  const reader = await stream(http, '?after=0-0&type=Never');
  await until(() => http.events.followers === 1);
  await clock.advance(15_000);
  expect(await reader.next()).toEqual({ event: 'message', comment: 'alive', id: '1002-0', data: '' });
  reader.close();
});

test('a reader whose last event a failover lost is told of the gap', async () => {
  const http = await start();
  http.events.push(eventOf(1), eventOf(2), eventOf(3));
  http.events.lose(2);
  http.events.push(eventOf(9));
  const reader = await stream(http, '', { 'last-event-id': '1003-0' });
  expect(await reader.next()).toMatchObject({ event: 'gap', data: expect.stringContaining('"position":"1003-0"') });
  expect(await take(reader, 1)).toEqual(['1009-0']);
  reader.close();
});

test('a place that was trimmed ends the stream with the first that is there', async () => {
  const http = await start();
  http.events.push(eventOf(1), eventOf(2), eventOf(3));
  http.events.trim('1002-0');
  const reader = await stream(http, '', { 'last-event-id': '1001-0' });
  const end = await reader.next();
  expect(end?.event).toBe('end');
  expect(JSON.parse(end?.data ?? '')).toMatchObject({
    reason: 'failed',
    error: { code: 'POSITION_TRIMMED', message: 'events after 1001-0 were removed; history begins at 1003-0' },
  });
  expect(await reader.next()).toBeUndefined();
});

test('when the log is away a new stream is 503, an open one ends with the reason', async () => {
  const http = await start();
  const reader = await stream(http);
  await until(() => http.events.followers === 1);
  http.events.failWith(StoreUnavailable({ reason: 'connection refused' }));
  expect(JSON.parse((await reader.next())?.data ?? '')).toMatchObject({
    reason: 'failed',
    error: { code: 'STORE_UNAVAILABLE', status: 503 },
  });
  expect(await reader.next()).toBeUndefined();
  const { status, body, headers } = await http.call('/api/v1/events/stream');
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('1');
  expect(body).toMatchObject({ error: { code: 'STORE_UNAVAILABLE' } });
  http.events.failWith(undefined);
});

test('more streams than the bound are refused until one closes', async () => {
  const http = await start({ limits: { streams: 2 } });
  const [first, second] = [await stream(http), await stream(http)];
  expect(await http.call('/api/v1/events/stream')).toMatchObject({ status: 503, body: { error: { code: 'STREAMS_EXHAUSTED' } } });
  await until(() => http.events.followers === 1);
  first?.close();
  let reopened: OpenStream | undefined;
  for (let i = 0; i < 1_000 && reopened?.status !== 200; i++) reopened = await stream(http);
  expect(reopened?.status).toBe(200);
  reopened?.close();
  second?.close();
});

test('a reader that reads nothing holds one message of memory, is told why it ends, and is cut off', async () => {
  const clock = createFakeClock();
  const http = await start({ clock });
  const large = 'x'.repeat(1_000_000);
  http.events.push(...Array.from({ length: 30 }, (_, n) => eventOf(n, { data: large })));
  const socket = await openUnread(http.api.port(), '/api/v1/events/stream?after=0-0');
  // Full: the stream waits for room. The other sleeper is its heartbeat.
  await until(() => clock.sleeping().includes(30_000));
  await clock.advance(30_000);
  await until(() => clock.sleeping().includes(30_000));
  let read = '';
  socket.on('data', (chunk) => {
    read = (read + chunk.toString()).slice(-300);
  });
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  expect(read).toContain('event: end\ndata: {"reason":"slow","message":"nothing was read for 30 s"}');
});

test('a reader that never reads again is cut off', async () => {
  const clock = createFakeClock();
  const http = await start({ clock });
  http.events.push(...Array.from({ length: 30 }, (_, n) => eventOf(n, { data: 'x'.repeat(1_000_000) })));
  const socket = await openUnread(http.api.port(), '/api/v1/events/stream?after=0-0');
  const gone = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  await until(() => clock.sleeping().includes(30_000));
  await clock.advance(30_000);
  await until(() => clock.sleeping().includes(30_000));
  await clock.advance(30_000);
  // Only a read shows the cut to this side.
  socket.resume();
  await gone;
});
