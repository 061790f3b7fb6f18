import { expect, it } from 'vitest';
import type { Position, RecordedEvent } from '../../domain/event/index.ts';
import { captureLog } from '../../test/support/captured-log/index.ts';
import { createFakeClock } from '../../test/support/fake-clock/index.ts';
import { createLogTail } from './log-tail.ts';

const eventAt = (position: Position, id: string): RecordedEvent => ({
  type: 'ThingHappened',
  schema: 1,
  time: '2026-01-01T00:00:00.000Z',
  data: {},
  id,
  source: '/clusters/test',
  stream: 'thing/one',
  version: 1,
  position,
});

async function start() {
  const clock = createFakeClock();
  const held = new Map<Position, string>();
  const asked: Position[] = [];
  let session: unknown = 'first';
  let away = false;
  let made = 0;
  const tail = createLogTail({
    storage: {
      session: () => session,
      async has(position, id) {
        asked.push(position);
        if (away) throw new Error('away again');
        return held.get(position) === id ? 'present' : 'absent';
      },
    },
    onLost: async () => void made++,
    clock,
    log: captureLog(),
  });
  await tail.start(new AbortController().signal);
  return {
    tail,
    clock,
    held,
    asked,
    made: () => made,
    connect: (to: unknown) => {
      session = to;
    },
    break: (on: boolean) => {
      away = on;
    },
    stop: async () => {
      const stopped = tail.stop({ deadline: 100 });
      await clock.advance(1_000);
      await stopped;
    },
  };
}

it('asks nothing as long as the connection is the same, and finds the last event after a new one', async () => {
  const one = await start();
  one.held.set('5-0', 'a/1');
  one.tail.seen(eventAt('5-0', 'a/1'));
  await one.clock.advance(10_000);
  expect(one.asked).toEqual([]);
  one.connect(undefined);
  await one.clock.advance(1_000);
  one.connect('second');
  await one.clock.advance(1_000);
  expect(one.asked).toEqual(['5-0']);
  expect(one.tail.states()).toEqual([]);
  expect(one.made()).toBe(0);
  await one.stop();
});

it('says what was lost and has it made up for once, also when another event stands in its place', async () => {
  const one = await start();
  one.tail.seen(eventAt('5-0', 'a/1'));
  one.held.set('5-0', 'b/1');
  one.connect('second');
  await one.clock.advance(2_000);
  expect(one.made()).toBe(1);
  expect(one.tail.states()).toEqual([
    {
      name: 'log',
      state: 'degraded',
      required: false,
      reason:
        'Valkey lost events at or before 5-0, noticed 2026-01-01T00:00:00.250Z: commands of that time may be without a trace. MO_EVENT_DURABILITY=fsync prevents it on one server.',
    },
  ]);
  await one.stop();
});

it('what comes over a new connection does not cover what is yet to be looked for', async () => {
  const one = await start();
  one.tail.seen(eventAt('5-0', 'a/1'));
  one.connect('second');
  one.held.set('9-0', 'c/1');
  one.tail.seen(eventAt('9-0', 'c/1'));
  await one.clock.advance(1_000);
  expect(one.asked).toEqual(['5-0']);
  expect(one.made()).toBe(1);
  await one.stop();
});

it('looks again when the first look failed', async () => {
  const one = await start();
  one.tail.seen(eventAt('5-0', 'a/1'));
  one.break(true);
  one.connect('second');
  await one.clock.advance(500);
  expect(one.made()).toBe(0);
  one.break(false);
  await one.clock.advance(500);
  expect(one.made()).toBe(1);
  await one.stop();
});
