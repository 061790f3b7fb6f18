import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { type Pair, startPair, until } from '../../support/platform/index.ts';

let pair: Pair;
afterEach(() => pair.stop());

/** A frame and, where its sender could be told, its id. */
interface Sent {
  readonly frame: string | Uint8Array;
  readonly id?: string;
}

const name = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const anything = fc.anything({ withNullPrototype: false, withDate: false, withBigInt: false, maxDepth: 3 });
const json = anything.map((value) => JSON.stringify(value) ?? 'null');

const proper: fc.Arbitrary<Sent> = fc
  .record({ pattern: name, payload: json, user: fc.option(fc.record({ email: name }), { nil: null }), zlib: fc.boolean() })
  .map(({ pattern, payload, user, zlib }) => ({
    frame: `{"pattern":${JSON.stringify(pattern)},"payload":${payload},"user":${JSON.stringify(user)},"zlib":${zlib},"id":ID}`,
    id: 'yes',
  }));
const wrongTypes: fc.Arbitrary<Sent> = fc.record({ pattern: json, user: json, workspace: json, zlib: json }).map((odd) => ({
  frame: `{"id":ID,"pattern":${odd.pattern},"user":${odd.user},"workspace":${odd.workspace},"zlib":${odd.zlib}}`,
  id: 'yes',
}));
const cutOff: fc.Arbitrary<Sent> = fc
  .record({ payload: json, cut: fc.nat(30) })
  .map(({ payload, cut }) => ({ frame: `{"id":ID,"pattern":"p","payload":${payload.slice(0, cut)}`, id: 'yes' }));
/** Deeper than a recursive writer can go. */
const deep: fc.Arbitrary<Sent> = fc
  .integer({ min: 5_000, max: 20_000 })
  .map((depth) => ({ frame: `{"id":ID,"pattern":"p","payload":${'['.repeat(depth)}${']'.repeat(depth)}}`, id: 'yes' }));
const noise: fc.Arbitrary<Sent> = fc.oneof(
  fc.string({ maxLength: 200, unit: 'binary' }).map((frame) => ({ frame })),
  fc.uint8Array({ maxLength: 200 }).map((frame) => ({ frame })),
  json.map((frame) => ({ frame })),
  fc
    .constantFrom('', '{', '[]', 'null', '{"id":""}', '{"id":"","pattern":"p"}', '{"__proto__":{"id":"x"}}', '['.repeat(50_000))
    .map((frame) => ({ frame })),
);

it('2,000 random frames: nothing breaks, every readable id is answered, and nothing else', async () => {
  pair = await startPair(systemClock, { apiClients: 1 });
  await pair.standIn.connected('api', 1);
  const sent = fc.sample(
    fc.oneof(
      { weight: 20, arbitrary: proper },
      { weight: 20, arbitrary: wrongTypes },
      { weight: 20, arbitrary: cutOff },
      { weight: 1, arbitrary: deep },
      { weight: 20, arbitrary: noise },
    ),
    { numRuns: 2000, seed: 20260101 },
  );
  const expected = new Set<string>();
  for (const [n, { frame, id }] of sent.entries()) {
    if (id === undefined || typeof frame !== 'string') pair.standIn.raw(frame);
    else {
      expected.add(`frame-${n}`);
      pair.standIn.raw(frame.replace('"id":ID', () => `"id":"frame-${n}"`));
    }
  }
  const last = await pair.standIn.send('p', 'still here');
  expect(last.datagram.payload).toEqual({ status: 'success', data: 'still here' });
  await until(() => pair.standIn.strangers.count >= expected.size);
  const answered = pair.standIn.strangers.all.map((answer) => (typeof answer === 'string' ? `unreadable: ${answer}` : answer.id));
  const known = answered.filter((id) => expected.has(id));
  expect(known.length).toBe(expected.size);
  expect(new Set(known)).toEqual(expected);
  // Without an id of its own a datagram gets one of ours.
  for (const id of answered.filter((other) => !expected.has(other))) expect(id).toMatch(/^[a-zA-Z0-9]{21}$/);
  expect(expected.size).toBeGreaterThan(1200);
  expect(pair.standIn.connections.filter(({ kind }) => kind === 'api').length).toBe(1);
  const dropped = [...pair.metrics.values].filter(([key]) => key.startsWith('mogenius_operator_websocket_frames_dropped_total'));
  expect(dropped.map(([key]) => key).sort()).toEqual(
    ['empty', 'invalid', 'no-object', 'not-json'].map(
      (reason) => `mogenius_operator_websocket_frames_dropped_total{connection=job_0,reason=${reason}}`,
    ),
  );
});
