import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, openHttp } from '../../support/http/index.ts';

let http: Harness;
beforeAll(async () => {
  http = await openHttp({ limits: { headers: 4_096 } });
});
afterAll(() => http.stop());

/** Everything the server says until it closes. */
function say(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(http.api.port(), '127.0.0.1', () => socket.write(text));
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(heard));
  });
}

test.each([
  ['no HTTP', 'hello there\r\n\r\n', 'HTTP/1.1 400 Bad Request', 'this is no valid HTTP request'],
  [
    'two lengths',
    'POST /socketapi HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    'HTTP/1.1 400',
    'no valid HTTP',
  ],
  [
    'a length and chunks (smuggling)',
    'POST /socketapi HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 400',
    'no valid HTTP',
  ],
  [
    'a large header',
    `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(8_000)}\r\n\r\n`,
    'HTTP/1.1 431',
    'the headers are too large',
  ],
])('%s is refused in the shape of all errors, and closed', async (_, text, head, message) => {
  const heard = await say(text);
  expect(heard.startsWith(head)).toBe(true);
  expect(heard).toContain('"code":"REQUEST_INVALID"');
  expect(heard).toContain(message);
  expect((await http.call('/healthz')).status).toBe(200);
});
