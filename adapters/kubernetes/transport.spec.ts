import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClusterUnavailable } from '../../domain/errors.ts';
import { type ApiDouble, startApiDouble, statusOf } from '../../test/support/api-double/index.ts';
import { captureLog } from '../../test/support/captured-log/index.ts';
import { accessTo } from '../../test/support/cluster/index.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';

let double: ApiDouble;
let transport: Transport;
const log = captureLog();
const make = (more: Partial<TransportOptions> = {}, url = double.url) => createTransport(accessTo(url), { log, ...more });
beforeEach(async () => {
  double = await startApiDouble();
  transport = make();
});
afterEach(async () => {
  await transport.close();
  await double.stop();
});

const get = { method: 'GET', path: '/version' } as const;
const post = { method: 'POST', path: '/api/v1/namespaces', body: '{}', contentType: 'application/json' } as const;
const fine = { status: 200, body: { ok: true } };

/** Answers one after the other; the last one stays. */
function answers(...list: Awaited<ReturnType<ApiDouble['answer']>>[]): void {
  double.answer = () => (list.length > 1 ? list.shift() : list[0]) ?? fine;
}

describe('what is tried again', () => {
  test('a read whose connection broke, once', async () => {
    answers('reset', fine);
    expect((await transport.request(get)).status).toBe(200);
    answers('reset');
    await expect(transport.request(get)).rejects.toSatisfy(ClusterUnavailable.is);
    expect(double.requests).toHaveLength(4);
  });

  test('never a write: whether it was done is not known', async () => {
    answers('reset', fine);
    await expect(transport.request(post)).rejects.toThrow('it is not known whether the change was made');
    expect(double.requests).toHaveLength(1);
  });

  test('a read that is to come later waits as long as the server says', async () => {
    const busy = { status: 429, body: statusOf(429, 'TooManyRequests', 'later'), headers: { 'retry-after': '0' } };
    answers(busy, busy, fine);
    expect((await transport.request(get)).status).toBe(200);
    answers(busy);
    expect((await transport.request(get)).status).toBe(429);
    expect(double.requests).toHaveLength(3 + 6);
  });

  test('a wait beyond the deadline is not begun, and a busy write is answered at once', async () => {
    answers({ status: 429, body: {}, headers: { 'retry-after': '3600' } });
    expect((await transport.request(get)).status).toBe(429);
    expect((await transport.request(post)).status).toBe(429);
    expect(double.requests).toHaveLength(2);
  });
});

describe('what does not come', () => {
  test('has a deadline', async () => {
    answers('hang');
    await transport.close();
    transport = make({ timeouts: { request: 50 } });
    await expect(transport.request(get)).rejects.toMatchObject({
      code: 'CLUSTER_UNAVAILABLE',
      status: 503,
      message: "the Kubernetes API can't be reached: no answer within 0.05 s",
    });
    await expect(transport.request(post)).rejects.toThrow('no answer within 0.05 s; it is not known whether the change was made');
    await expect(transport.stream('/slow', new AbortController().signal)).rejects.toSatisfy(ClusterUnavailable.is);
  });

  test("ends with the caller's signal and its reason", async () => {
    answers('hang');
    const ends = new AbortController();
    const reason = new Error('enough');
    const asked = transport.request({ ...get, signal: ends.signal });
    await expect.poll(() => double.requests.length).toBe(1);
    ends.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  test('a server that is not there was never reached: nothing is in doubt', async () => {
    await double.stop();
    const refused = transport.request(post).catch((error: unknown) => error);
    expect(ClusterUnavailable.is(await refused)).toBe(true);
    expect(String(await refused)).not.toContain('not known');
    double = await startApiDouble();
  });
});

test('a stream outlives the deadline of its head, and ends with the signal', async () => {
  await transport.close();
  transport = make({ timeouts: { request: 40 } });
  const ends = new AbortController();
  const { body } = await transport.stream('/watched?watch=true', ends.signal);
  const watch = await double.nextWatch();
  const bytes = body[Symbol.asyncIterator]();
  // Two requests that run into the same deadline, one after the other: more time than the head may take.
  answers('hang');
  for (const word of ['one', 'two']) {
    await expect(transport.request(get)).rejects.toSatisfy(ClusterUnavailable.is);
    watch.raw(word);
    expect(String((await bytes.next()).value)).toBe(word);
  }
  const rest = bytes.next();
  ends.abort(new Error('enough'));
  await expect(rest).rejects.toThrow();
  await watch.closed;
});

test('every request says who we are, and with debug which it is', async () => {
  answers(fine);
  await transport.close();
  transport = make({ debug: true }, `${double.url}/clusters/one`);
  await transport.request(post);
  expect(double.requests[0]).toMatchObject({
    path: '/clusters/one/api/v1/namespaces',
    headers: { 'user-agent': 'mogenius-operator', accept: 'application/json' },
  });
  expect(log.lines.at(-1)).toBe(
    `info request to the Kubernetes API {"method":"POST","url":"${double.url}/clusters/one/api/v1/namespaces"}`,
  );
});
