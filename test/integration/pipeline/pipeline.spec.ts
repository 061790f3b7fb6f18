import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createEmbeddedStore, type EmbeddedStore } from '../../../adapters/embedded/index.ts';
import type { Pipeline } from '../../../commands/index.ts';
import { ClusterUnavailable } from '../../../domain/errors.ts';
import type { RecordedEvent } from '../../../domain/event/index.ts';
import { newSession, newWorld, pipelineOn, request, type World } from '../../support/pipeline/index.ts';

let store: EmbeddedStore;
let world: World;
let pipeline: Pipeline;

beforeEach(async () => {
  store = createEmbeddedStore({ clock: systemClock, clusterId: 'test' });
  world = newWorld();
  pipeline = pipelineOn(store.commands, world);
  await pipeline.start(new AbortController().signal);
});
afterEach(async () => {
  await pipeline.stop({ deadline: 1_000 });
  store.close();
});

const ask = (id: string, pattern: string, payload: unknown, more = {}) =>
  pipeline.dispatch(request(id, pattern, payload, more), { session: newSession(), signal: new AbortController().signal });
const put = (id: string, name: string, value = id) => ask(id, 'test/put', { name, value });

async function logged(): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const batch of store.events.log('0-0')) all.push(...batch);
  return all;
}
const typesOf = async (command: string) => (await logged()).filter(({ commandid }) => commandid === command).map(({ type }) => type);

test('a command is accepted, handled and answered from its outcome', async () => {
  expect(await put('c1', 'a')).toEqual({ status: 'success', message: 'Stored c1', data: '' });
  expect(await typesOf('c1')).toEqual(['CommandAccepted', 'CommandSucceeded']);
  const [accepted, succeeded] = await logged();
  expect(succeeded?.causationid).toBe(accepted?.id);
  expect(accepted?.actor).toEqual({ source: 'platform', email: 'ann@example.org' });
});

describe('the same id again', () => {
  test('gets the same answer without a second effect', async () => {
    const first = await put('c1', 'a');
    expect(await put('c1', 'a')).toEqual(first);
    expect(world.effects).toHaveLength(1);
    expect(await typesOf('c1')).toEqual(['CommandAccepted', 'CommandSucceeded']);
  });

  test('while the first is under way: both get the one answer', async () => {
    const gate = Promise.withResolvers<void>();
    world.before = () => gate.promise;
    const both = [put('c1', 'a'), put('c1', 'a'), put('c1', 'a')];
    gate.resolve();
    expect(await Promise.all(both)).toEqual(Array(3).fill({ status: 'success', message: 'Stored c1', data: '' }));
    expect(world.effects).toHaveLength(1);
  });

  test('with another payload or pattern it is a conflict, never the old answer', async () => {
    await put('c1', 'a', 'x');
    const conflict = { status: 'error', message: 'the id "c1" was used before for another request', statusCode: 409, data: '' };
    expect(await put('c1', 'a', 'y')).toEqual(conflict);
    expect(await ask('c1', 'test/explode', { name: 'a' })).toMatchObject({ statusCode: 409 });
    expect(world.effects).toHaveLength(1);
  });

  test('with the same payload in another order of keys it is the same request', async () => {
    await ask('c1', 'test/put', { name: 'a', value: 'x' });
    expect(await ask('c1', 'test/put', { value: 'x', name: 'a' })).toEqual({ status: 'success', message: 'Stored x', data: '' });
  });

  test('a conflict does not disturb the caller who waits for the first', async () => {
    const gate = Promise.withResolvers<void>();
    world.before = () => gate.promise;
    const first = put('c1', 'a', 'x');
    expect(await put('c1', 'a', 'y')).toMatchObject({ statusCode: 409 });
    gate.resolve();
    expect(await first).toEqual({ status: 'success', message: 'Stored x', data: '' });
  });
});

describe('order', () => {
  test('commands of one aggregate are handled in the order they were accepted', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, n) => put(`c${n}`, 'a')));
    expect(world.effects.map(({ command }) => command)).toEqual(Array.from({ length: 40 }, (_, n) => `c${n}`));
  });

  test('a slow aggregate does not hold up another', async () => {
    const gate = Promise.withResolvers<void>();
    world.before = (_, { name }) => (name === 'slow' ? gate.promise : Promise.resolve());
    const slow = put('s1', 'slow');
    await put('f1', 'fast');
    expect(world.effects.map(({ command }) => command)).toEqual(['f1']);
    gate.resolve();
    await slow;
  });
});

describe('what goes wrong', () => {
  test('a pattern nobody serves is told in the wire form', async () => {
    expect(await ask('q', 'no/such', {})).toEqual({
      status: 'error',
      message: "No handler for pattern 'no/such' found",
      unknownPattern: true,
    });
  });

  test('a request that is not valid is answered 400 and leaves nothing in the log', async () => {
    expect(await ask('c1', 'test/put', { value: 'x' })).toEqual({
      status: 'error',
      message: "Field 'Name' failed validation, Condition: required",
      statusCode: 400,
      data: '',
    });
    expect(await logged()).toEqual([]);
  });

  test('a bug in a handler is answered 500, ends nothing, and is the outcome', async () => {
    expect(await ask('c1', 'test/explode', { name: 'a' })).toEqual({
      status: 'error',
      message: 'internal error while handling "c1"',
      statusCode: 500,
      data: null,
    });
    expect(await typesOf('c1')).toEqual(['CommandAccepted', 'CommandFailed']);
    expect(await put('c2', 'a')).toMatchObject({ status: 'success' });
  });

  test('what passes is tried again, and the answer is the success', async () => {
    let failures = 3;
    world.before = async () => {
      if (failures-- > 0) throw ClusterUnavailable({ reason: 'refused' });
    };
    expect(await put('c1', 'a')).toMatchObject({ status: 'success' });
    expect(await typesOf('c1')).toEqual(['CommandAccepted', 'CommandSucceeded']);
  });

  test('a pattern that needs a user refuses a request without one', async () => {
    expect(await ask('q', 'test/needs-user', {}, { actor: { source: 'platform' } })).toMatchObject({ statusCode: 403 });
    expect(await ask('q', 'test/needs-user', {})).toMatchObject({ status: 'success' });
  });

  test('a cancelled command fails with COMMAND_CANCELLED and frees its queue', async () => {
    const begun = Promise.withResolvers<void>();
    world.before = (context, { name }) => {
      if (name !== 'stuck') return Promise.resolve();
      begun.resolve();
      return new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
    };
    const stuck = put('c1', 'stuck');
    await begun.promise;
    expect(pipeline.cancel('c1')).toBe(true);
    expect(await stuck).toEqual({ status: 'error', message: 'the command "c1" was cancelled', statusCode: 408, data: '' });
    expect(pipeline.cancel('c1')).toBe(false);
  });
});

describe('secrets', () => {
  test('a password reaches the handler whole and the log not at all', async () => {
    let got: unknown;
    world.before = async (_, whole) => {
      got = whole;
    };
    await ask('c1', 'test/put', { name: 'a', value: 'x', password: 'CANARY-REQUEST' });
    expect(got).toMatchObject({ password: 'CANARY-REQUEST' });
    expect(JSON.stringify(await logged())).not.toContain('CANARY');
  });

  test('a result with a secret is answered whole, also to a repeat, and is redacted in the log', async () => {
    const whole = { status: 'success', data: { password: 'CANARY-RESULT' } };
    expect(await ask('c1', 'test/reveal', { name: 'a' })).toEqual(whole);
    expect(await ask('c1', 'test/reveal', { name: 'a' })).toEqual(whole);
    expect(JSON.stringify(await logged())).not.toContain('CANARY');
  });

  test('a payload with a redaction mark in place of a value is refused, it would be stored as the value', async () => {
    expect(await ask('c1', 'test/put', { name: 'a', value: '***[REDACTED]***' })).toMatchObject({ statusCode: 400 });
  });
});

describe('a process that ends in between', () => {
  test('leaves its command to the next one, which finishes it once', async () => {
    const hanging = newWorld();
    hanging.before = () => new Promise(() => undefined);
    const dead = pipelineOn(store.commands, hanging, { owner: 'dead', lease: 150 });
    // Never started: nobody renews its claims, as after a SIGKILL.
    void dead.dispatch(request('c1', 'test/put', { name: 'a', value: 'x' }), {
      session: newSession(),
      signal: new AbortController().signal,
    });
    expect(await put('c1', 'a', 'x')).toEqual({ status: 'success', message: 'Stored x', data: '' });
    expect(await typesOf('c1')).toEqual(['CommandAccepted', 'CommandSucceeded']);
  });

  test('again and again: the command is parked with its reason and frees the next', async () => {
    const hanging = newWorld();
    hanging.before = () => new Promise(() => undefined);
    await pipeline.stop({ deadline: 0 });
    const first = pipelineOn(store.commands, hanging, { owner: 'dead-0', lease: 20 });
    void first.dispatch(request('c1', 'test/put', { name: 'a', value: 'x' }), {
      session: newSession(),
      signal: new AbortController().signal,
    });
    for (let n = 2; n <= 3; n++) {
      for (let claimed = 0; claimed === 0; ) claimed = (await store.commands.claim({ owner: `dead-${n}`, lease: 20, limit: 1 })).length;
    }
    pipeline = pipelineOn(store.commands, world);
    await pipeline.start(new AbortController().signal);
    expect(await put('c2', 'a')).toMatchObject({ status: 'success' });
    expect(await store.commands.parked({ offset: 0, limit: 10 })).toMatchObject({
      total: 1,
      items: [{ command: 'c1', pattern: 'test/put' }],
    });
    expect(await typesOf('c1')).toEqual(['CommandAccepted', 'CommandParked']);
  });
});

test('at the end of a process a command that takes longer than its claim is renewed and not taken over', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let renewals = 0;
  const counted: typeof store.commands = {
    ...store.commands,
    async renew(claim, lease) {
      renewals += 1;
      // Three renewals, a third of the claim apart: by now it would have run out.
      if (renewals === 4) gate.resolve();
      return store.commands.renew(claim, lease);
    },
  };
  world.before = () => {
    begun.resolve();
    return gate.promise;
  };
  const ending = pipelineOn(counted, world, { owner: 'ending', lease: 150 });
  await ending.start(new AbortController().signal);
  const running = ending.dispatch(request('c1', 'test/put', { name: 'a', value: 'x' }), {
    session: newSession(),
    signal: new AbortController().signal,
  });
  await begun.promise;
  const stopped = ending.stop({ deadline: 20_000 });
  expect(await running).toMatchObject({ status: 'success' });
  expect(await stopped).toEqual({ dropped: [] });
  expect(await typesOf('c1')).toEqual(['CommandAccepted', 'CommandSucceeded']);
  expect(world.effects).toHaveLength(1);
});

test('at the end of a process new commands are refused and those under way are finished', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  world.before = () => {
    begun.resolve();
    return gate.promise;
  };
  const running = put('c1', 'a');
  await begun.promise;
  const stopped = pipeline.stop({ deadline: 5_000 });
  expect(await put('c2', 'b')).toMatchObject({ statusCode: 503, message: 'the operator is shutting down' });
  gate.resolve();
  expect(await running).toMatchObject({ status: 'success' });
  expect(await stopped).toEqual({ dropped: [] });
});
