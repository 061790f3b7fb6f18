import { afterEach, expect, it } from 'vitest';
import { createPlatformLink, type PlatformLink } from '../../adapters/platform/index.ts';
import { createStandInPlatform } from '../../adapters/stand-in/index.ts';
import { handshakeHeaders } from '../../domain/wire/index.ts';
import { captureLog } from '../support/captured-log/index.ts';
import { createFakeClock, settle } from '../support/fake-clock/index.ts';
import { createCountedMetrics, identity, until } from '../support/platform/index.ts';

/** A small generator with a fixed seed: every operator draws numbers of its own. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const standIn = createStandInPlatform();
const clock = createFakeClock(undefined, seeded(7));
let links: readonly PlatformLink[] = [];
afterEach(async () => {
  await Promise.all([...links.map((link) => link.stop({ deadline: 0 })), clock.advance(5000)]);
  await standIn.stop({ deadline: 0 });
});

/** How many of the pauses fall into each tenth of the window. */
function tenths(pauses: readonly number[], from: number, to: number): readonly number[] {
  const counts = Array.from({ length: 10 }, () => 0);
  for (const ms of pauses) {
    const tenth = Math.floor(((ms - from) / (to - from)) * 10);
    counts[tenth] = (counts[tenth] ?? 0) + 1;
  }
  return counts;
}

it('500 operators that lose the platform dial again spread over the window, and so with each failed dial', async () => {
  await standIn.start(new AbortController().signal);
  links = Array.from({ length: 500 }, (_, n) =>
    createPlatformLink({
      name: `job_${n}`,
      url: standIn.apiUrl,
      headers: () => handshakeHeaders(identity),
      metrics: createCountedMetrics(),
      clock,
      log: captureLog(),
    }),
  );
  for (const link of links) void link.start(new AbortController().signal);
  const allAre = (phase: string) => until(() => links.every((link) => link.state().phase === phase));
  await allAre('connected');

  standIn.refuse(true);
  for (let n = standIn.open('api'); n > 0; n--) standIn.drop(n - 1);
  await allAre('waiting');
  await settle();
  const first = clock.sleeping();
  expect(first.length).toBe(500);
  expect(first.every((ms) => ms >= 0 && ms < 500)).toBe(true);
  for (const count of tenths(first, 0, 500)) expect(count).toBeLessThan(100);

  await clock.advance(500);
  // A dial is refused over a real socket: the clock stands still until all of them are.
  await until(() => links.every((link) => link.state().failures === 2 && link.state().phase === 'waiting'));
  await settle();
  const second = links.length;
  expect(clock.sleeping().length).toBe(second);
  expect(clock.sleeping().every((ms) => ms > 300 && ms <= 1200)).toBe(true);
  for (const count of tenths(clock.sleeping(), 300, 1200)) expect(count).toBeLessThan(200);
});
