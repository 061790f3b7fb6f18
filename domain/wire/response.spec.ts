import { expect, it } from 'vitest';
import { datagramToRequest, encodeEvent, encodeResponse, newId, socketApiResponse, unpack, utf8Bytes } from './index.ts';

const request = { id: 'q7Kd', pattern: 'get/workspace' };
const deflate = (text: string) => `<${text.length}>`;

it.each([
  [{ status: 'success', data: { name: 'shop' } }, '{"status":"success","data":{"name":"shop"}}'],
  [{ status: 'success', message: '', data: '' }, '{"status":"success","data":""}'],
  [{ status: 'success', message: 'created', data: '' }, '{"status":"success","message":"created","data":""}'],
  [{ status: 'success', data: undefined }, '{"status":"success","data":null}'],
  [{ status: 'error', message: 'no', statusCode: 404, data: null }, '{"status":"error","message":"no","statusCode":404,"data":null}'],
  [
    { status: 'error', message: "No handler for pattern 'x' found", unknownPattern: true },
    '{"status":"error","message":"No handler for pattern \'x\' found"}',
  ],
] as const)('a response carries the result union %#', async (result, payload) => {
  expect(await encodeResponse(request, result, deflate)).toBe(
    `{"id":"q7Kd","pattern":"get/workspace","user":{"apiKey":{}},"payload":${payload}}`,
  );
});

it('compresses from 1025 bytes on, counted as UTF-8', async () => {
  // {"status":"success","data":""} is 30 bytes
  const of = (data: string) => encodeResponse(request, { status: 'success', data }, deflate);
  expect(await of('x'.repeat(994))).not.toContain('zlib');
  expect(await of('x'.repeat(995))).toBe('{"id":"q7Kd","pattern":"get/workspace","user":{"apiKey":{}},"payload":"<1025>","zlib":true}');
  expect(await of('ü'.repeat(497))).not.toContain('zlib');
  expect(await of('ü'.repeat(498))).toContain('"zlib":true');
});

it('sends the plain form when the compression fails', async () => {
  const broken = () => Promise.reject(new Error('no memory'));
  expect(JSON.parse(await encodeResponse(request, { status: 'success', data: 'x'.repeat(2000) }, broken))).toEqual({
    ...request,
    user: { apiKey: {} },
    payload: { status: 'success', data: 'x'.repeat(2000) },
  });
});

it('counts bytes as UTF-8 does', () => {
  expect(['a', 'ü', '€', '😀', '\ud800', '\udc00x'].map(utf8Bytes)).toEqual([1, 2, 3, 4, 3, 4]);
});

it('an event always carries a user', () => {
  expect(encodeEvent({ id: 'e1', pattern: 'ClusterEvent', payload: { eventType: 'add' } })).toBe(
    '{"id":"e1","pattern":"ClusterEvent","user":{"apiKey":{}},"payload":{"eventType":"add"}}',
  );
  expect(encodeEvent({ id: 'e2', pattern: 'AuditLogEvent', payload: {}, user: { email: 'a@b.c' }, workspace: 'shop' })).toBe(
    '{"id":"e2","pattern":"AuditLogEvent","user":{"email":"a@b.c","apiKey":{}},"workspace":"shop","payload":{}}',
  );
});

it('the socket API answers with the request, its payload replaced', () => {
  const datagram = { id: 'a', pattern: 'p', payload: { secret: 1 }, username: 'u', user: { email: 'a@b.c' }, workspace: 'w', zlib: true };
  expect(socketApiResponse(datagram, { status: 'success', data: 1 })).toEqual({
    id: 'a',
    pattern: 'p',
    username: 'u',
    user: { email: 'a@b.c', apiKey: {} },
    workspace: 'w',
    zlib: true,
    payload: { status: 'success', data: 1 },
  });
  expect(socketApiResponse({ id: 'a', pattern: 'p' }, { status: 'error', message: 'x', unknownPattern: true })).toEqual({
    id: 'a',
    pattern: 'p',
    user: { apiKey: {} },
    payload: { status: 'error', message: 'Pattern not found' },
  });
});

it('a datagram becomes a request whose actor tells the link and who asked', () => {
  const user = { firstName: 'Ann', email: 'a@b.c', source: 'browser', apiKey: { id: 'k1' }, isMcpRequest: true };
  expect(datagramToRequest({ id: 'a', pattern: 'p', payload: 1, user, workspace: 'w' }, 1700000000000)).toEqual({
    id: 'a',
    pattern: 'p',
    payload: 1,
    actor: { source: 'platform', firstName: 'Ann', email: 'a@b.c', origin: 'browser', apiKey: { id: 'k1' }, isMcpRequest: true },
    workspace: 'w',
    receivedAt: 1700000000000,
  });
  expect(datagramToRequest({ id: 'a', pattern: 'p', user: { apiKey: {} } }, 0).actor).toEqual({ source: 'platform' });
});

it('an id is 21 characters of a-z A-Z 0-9', () => {
  expect(newId(() => 0)).toBe('aaaaaaaaaaaaaaaaaaaaa');
  expect(newId(() => 0.999999)).toBe('999999999999999999999');
});

it('unpacks a compressed payload, and says what is wrong with one', async () => {
  const inflate = (base64: string) => (base64 === 'bad' ? Promise.reject(new Error('incorrect header check')) : Promise.resolve(base64));
  const datagram = { id: 'a', pattern: 'p', zlib: true };
  expect(await unpack({ ...datagram, payload: '{"a":1}' }, inflate)).toEqual({
    outcome: 'datagram',
    datagram: { id: 'a', pattern: 'p', payload: { a: 1 } },
  });
  expect(await unpack({ ...datagram, payload: 'null' }, inflate)).toEqual({ outcome: 'datagram', datagram: { id: 'a', pattern: 'p' } });
  expect(await unpack({ ...datagram, payload: 'bad' }, inflate)).toEqual({
    outcome: 'refused',
    text: 'failed to decompress payload: incorrect header check',
  });
  expect(await unpack({ ...datagram, payload: { a: 1 } }, inflate)).toMatchObject({ outcome: 'refused' });
  expect(await unpack({ ...datagram, payload: '{' }, inflate)).toMatchObject({ outcome: 'refused' });
});
