import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../adapters/clock/index.ts';
import { createPlatformLink, type PlatformLink } from '../../adapters/platform/index.ts';
import { createStandInPlatform } from '../../adapters/stand-in/index.ts';
import type { Clock } from '../../domain/ports/index.ts';
import { handshakeHeaders } from '../../domain/wire/index.ts';
import { captureLog } from '../support/captured-log/index.ts';
import { createCountedMetrics, createDispatcherDouble, identity, until } from '../support/platform/index.ts';

const standIn = createStandInPlatform();
/** Without jitter these are the pauses between dials; here they take no time. */
const pauses = new Set([400, 800, 1600, 3200, 6400, 12_800, 24_000]);
const clock: Clock = { ...systemClock, random: () => 0, sleep: (ms, signal) => systemClock.sleep(pauses.has(ms) ? 0 : ms, signal) };
let links: readonly PlatformLink[] = [];
afterEach(() => standIn.stop({ deadline: 0 }));

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');
function heap(): number {
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

it('100 links that are dropped at once, five times over, leave neither sockets nor memory', async () => {
  await standIn.start(new AbortController().signal);
  const socketsBefore = sockets();
  const double = createDispatcherDouble();
  links = Array.from({ length: 100 }, (_, n) =>
    createPlatformLink({
      name: `job_${n}`,
      url: standIn.apiUrl,
      headers: () => handshakeHeaders(identity),
      requests: { dispatcher: double, session: { position: '0-0' } },
      metrics: createCountedMetrics(),
      clock,
      log: captureLog(),
    }),
  );
  for (const link of links) void link.start(new AbortController().signal);
  const heaps: number[] = [];
  for (let round = 0; round < 5; round++) {
    await until(() => links.every((link) => link.state().phase === 'connected'));
    await Promise.all(links.map((_, link) => standIn.send('p', 'x'.repeat(3000), { link })));
    heaps.push(heap());
    for (let n = standIn.open('api'); n > 0; n--) standIn.drop(n - 1);
    await until(() => standIn.connections.length === 100 * (round + 2));
  }
  await until(() => links.every((link) => link.state().phase === 'connected'));
  expect(sockets() - socketsBefore).toBe(200);
  expect((heaps[4] ?? 0) - (heaps[0] ?? 0)).toBeLessThan(15);

  await Promise.all(links.map((link) => link.stop({ deadline: 0 })));
  await until(() => sockets() === socketsBefore);
  links = [];
});
