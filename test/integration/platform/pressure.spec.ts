import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createFakeClock } from '../../support/fake-clock/index.ts';
import { createDispatcherDouble, type Pair, startPair, until } from '../../support/platform/index.ts';

let pair: Pair;
afterEach(() => pair.stop());

describe('a peer that asks for more than can be done', () => {
  it('has 50 requests running on a link and feels the rest; all are answered in the end', async () => {
    const double = createDispatcherDouble(() => ({ status: 'success', data: null }));
    pair = await startPair(systemClock, { double, apiClients: 1 });
    await pair.standIn.connected('api', 1);
    double.hold();
    const payload = 'x'.repeat(5000);
    const answers = Array.from({ length: 3000 }, (_, n) => pair.standIn.send('p', payload, { id: `r${n}` }));
    await until(() => double.running === 50 && pair.standIn.buffered(0) > 1_000_000);
    expect(double.requests.length).toBe(50);
    double.open();
    const ids = (await Promise.all(answers)).map(({ datagram }) => datagram.id);
    expect(new Set(ids).size).toBe(3000);
    expect(double.most).toBe(50);
  });

  it('is not given up for its silence while we are the ones who do not listen', async () => {
    const fake = createFakeClock();
    const double = createDispatcherDouble(() => ({ status: 'success', data: null }));
    pair = await startPair(fake, { double, apiClients: 1 });
    await pair.standIn.connected('api', 1);
    double.hold();
    const answers = Array.from({ length: 200 }, (_, n) => pair.standIn.send('p', n));
    await until(() => double.running === 50);
    await fake.advance(300_000);
    expect(pair.standIn.connections.filter(({ kind }) => kind === 'api').length).toBe(1);
    double.open();
    expect((await Promise.all(answers)).length).toBe(200);
  });

  it('on one link does not hold up the other', async () => {
    const double = createDispatcherDouble();
    pair = await startPair(systemClock, { double, apiClients: 2 });
    await pair.standIn.connected('api', 2);
    double.hold();
    const held = Array.from({ length: 150 }, (_, n) => pair.standIn.send('p', n, { link: 0 }));
    await until(() => double.running === 50);
    const other = pair.standIn.send('p', 'other', { link: 1 });
    await until(() => double.running === 51);
    double.open();
    expect((await other).datagram.payload).toEqual({ status: 'success', data: 'other' });
    await Promise.all(held);
  });
});

describe('a peer that does not read', () => {
  it('is given up when a frame could not be written for 10 s', async () => {
    const fake = createFakeClock();
    // Larger than what the network between the two can hold, and it cannot be compressed.
    const noise = Array.from({ length: 300_000 }, (_, n) => ((n * 2654435761) % 4294967296).toString(36)).join('');
    const double = createDispatcherDouble(() => ({ status: 'success', data: noise.repeat(3) }));
    pair = await startPair(fake, { double, apiClients: 1 });
    await pair.standIn.connected('api', 1);
    pair.standIn.pause(0);
    const answers = Array.from({ length: 3 }, (_, n) => pair.standIn.send('p', n, { timeout: 600_000 }));
    await until(() => double.requests.length === 3 && double.running === 0);
    await until(() => fake.sleeping().some((ms) => ms > 3_000));
    await fake.advance(10_000);
    await until(() => pair.platform.links().job_0?.phase === 'waiting');
    expect(pair.platform.links().job_0?.reason).toBe('a write took more than 10 s');
    await fake.advance(1000);
    expect((await Promise.all(answers)).length).toBe(3);
  });
});

describe('frames', () => {
  it('larger than allowed end the connection with 1009, and the log says why', async () => {
    pair = await startPair({ ...systemClock, random: () => 0 }, { apiClients: 1, maxFrameBytes: 100_000 });
    await pair.standIn.connected('api', 1);
    pair.standIn.raw(JSON.stringify({ id: 'big', pattern: 'p', payload: 'x'.repeat(100_000) }));
    await until(() => pair.standIn.connections.some(({ closed }) => closed !== undefined));
    expect(pair.standIn.connections.find(({ kind }) => kind === 'api')?.closed).toBe(1009);
    await until(() => pair.standIn.open('api') === 1);
    expect(pair.log.lines).toContain('info connection ended {"reason":"a frame came that is larger than allowed; closed with 1009"}');
    expect((await pair.standIn.send('p', 'x'.repeat(90_000))).datagram.payload).toMatchObject({ status: 'success' });
  });
});
