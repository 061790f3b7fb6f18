import { expect, test } from 'vitest';
import { settle } from '../support/fake-clock/index.ts';
import { eventOf, openHttp, openUnread } from '../support/http/index.ts';

// A stop cut answers whose first half was out already.
test('an answer of 20 MB whose reader is slow arrives whole, though the operator stops meanwhile', async () => {
  const http = await openHttp();
  http.events.push(...Array.from({ length: 20 }, (_, n) => eventOf(n, { data: 'x'.repeat(1_000_000) })));
  const socket = await openUnread(http.api.port(), '/api/v1/events');
  // Its first bytes wait to be read: the answer is half out.
  await new Promise<void>((resolve) => socket.once('readable', resolve));
  const stopped = http.api.stop({ deadline: 30_000 });
  await settle(50);

  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  expect(await stopped).toEqual({ dropped: [] });
  const answer = Buffer.concat(chunks).toString();
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toContain('HTTP/1.1 200 OK');
  expect(JSON.parse(body)).toHaveLength(20);
});
