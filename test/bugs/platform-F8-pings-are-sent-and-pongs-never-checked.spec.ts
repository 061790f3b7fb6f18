import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { type Pair, startPair, until } from '../support/platform/index.ts';

let pair: Pair;
afterEach(() => pair.stop());

describe('a peer that reads but never answers a ping', () => {
  it('is given up after 90 s, on the API links and on the event link', async () => {
    const clock = createFakeClock();
    pair = await startPair(clock, { apiClients: 1 });
    pair.standIn.mute(true);
    await until(() => Object.values(pair.platform.links()).every(({ phase }) => phase === 'connected'));
    await clock.advance(90_000);
    expect(Object.values(pair.platform.links()).map(({ phase }) => phase)).toEqual(['connected', 'connected']);
    await clock.advance(3000);
    await until(() => pair.log.lines.filter((line) => line.includes('connection ended')).length === 2);
    expect(pair.log.lines.filter((line) => line.includes('connection ended'))).toEqual([
      'info connection ended {"reason":"nothing was heard for 90 s"}',
      'info connection ended {"reason":"nothing was heard for 90 s"}',
    ]);
    pair.standIn.mute(false);
    await clock.advance(1000);
    await until(() => pair.standIn.connections.length === 4);
  });

  it('is kept as long as it says something else', async () => {
    const clock = createFakeClock();
    pair = await startPair(clock, { apiClients: 1, eventUrl: '' });
    pair.standIn.mute(true);
    await pair.standIn.connected('api', 1);
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(60_000);
      await pair.standIn.send('p', minute);
    }
    expect(pair.standIn.connections.length).toBe(1);
  });
});

it('a peer that answers pings is kept although it says nothing', async () => {
  const clock = createFakeClock();
  pair = await startPair(clock, { apiClients: 1, eventUrl: '' });
  await until(() => pair.platform.links().job_0?.phase === 'connected');
  for (let n = 1; n <= 100; n++) {
    await clock.advance(3000);
    await until(() => pair.standIn.pings() === n);
  }
  // The last pong is on its way; those before it came.
  expect(pair.standIn.connections.length).toBe(1);
  expect(pair.platform.links().job_0?.phase).toBe('connected');
});
