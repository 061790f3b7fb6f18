import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { origin, type Position } from '../../../domain/event/index.ts';
import type { Archive, EventStore, LogKeeper } from '../../../domain/ports/index.ts';
import { batches, fill, flat, gather, memoryLog } from '../../../test/support/archive/index.ts';
import { type CapturedLog, captureLog } from '../../../test/support/captured-log/index.ts';
import { settle } from '../../../test/support/fake-clock/index.ts';
import { createCountedMetrics } from '../../../test/support/platform/index.ts';
import { createFileArchive, createHistory, createRetention, type RetentionOptions } from '../index.ts';

const hour = 3_600_000;
const never = new AbortController().signal;
let root = '';
let archive: Archive;
let log: ReturnType<typeof memoryLog>;
let said: CapturedLog;
let metrics: ReturnType<typeof createCountedMetrics>;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mogenius-retention-'));
  archive = createFileArchive({ path: root, clusterId: 'test' });
  log = memoryLog();
  said = captureLog();
  metrics = createCountedMetrics();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const retention = (more: Partial<RetentionOptions> = {}) =>
  createRetention({
    store: log.events,
    keeper: log.keeper,
    archive,
    clock: log.clock,
    log: said,
    metrics,
    maxAge: 24 * hour,
    maxBytes: 1e9,
    segmentEvents: 100,
    ...more,
  });

/** A keeper that takes its log for so large. */
const weighing = (bytes: () => number, maxmemory = 0): LogKeeper => ({
  ...log.keeper,
  size: async () => ({ bytes: bytes(), maxmemory, usedMemory: 0 }),
});

describe('archiving', () => {
  test('whole segments are archived, read back and marked; the rest waits', async () => {
    const all = await fill(log.events, 250);
    await log.clock.advance(hour);
    expect(await retention().pass(never)).toEqual({ segments: 2, removed: 0, more: false });
    expect((await gather(archive.segments())).map(({ events }) => events)).toEqual([100, 100]);
    expect(await log.keeper.archived()).toBe(all[199]?.position);
    expect(await flat(archive.log(origin))).toEqual(all.slice(0, 200));
  });

  test('what has not settled stays out: a failover may still take it from the log', async () => {
    await fill(log.events, 100);
    expect(await retention().pass(never)).toEqual({ segments: 0, removed: 0, more: false });
    await log.clock.advance(60_000);
    expect((await retention().pass(never)).segments).toBe(1);
  });

  test('a part of a segment is due when its oldest event comes of age', async () => {
    await fill(log.events, 30);
    await log.clock.advance(23 * hour);
    const module = retention();
    expect(await module.pass(never)).toEqual({ segments: 0, removed: 0, more: false });
    await log.clock.advance(hour);
    expect(await module.pass(never)).toEqual({ segments: 1, removed: 30, more: false });
    expect((await log.events.extent()).events).toBe(0);
  });

  test('one pass does a bounded number of segments and says that there is more', async () => {
    await fill(log.events, 1200);
    await log.clock.advance(hour);
    const module = retention();
    expect(await module.pass(never)).toEqual({ segments: 10, removed: 0, more: true });
    expect(await module.pass(never)).toEqual({ segments: 2, removed: 0, more: false });
    expect(metrics.values.get('mogenius_operator_archived_events_total{}')).toBe(1200);
  });

  test('what counts towards the next segment is not read again at every pass', async () => {
    await fill(log.events, 50);
    await log.clock.advance(hour);
    let read = 0;
    const store: EventStore = {
      ...log.events,
      async *log(after, how) {
        for await (const events of log.events.log(after, how)) {
          read += events.length;
          yield events;
        }
      },
    };
    const module = retention({ store });
    for (let n = 0; n < 5; n += 1) await module.pass(never);
    expect(read).toBe(50);
  });

  test('an archive that keeps something else than it was given is found out, and nothing is marked', async () => {
    await fill(log.events, 100);
    await log.clock.advance(hour);
    const garbling: Archive = {
      ...archive,
      write: ({ after, events }) =>
        archive.write({
          after,
          events: (async function* () {
            for await (const batch of events) yield batch.map((event) => ({ ...event, data: 'garbled' }));
          })(),
        }),
    };
    await expect(retention({ archive: garbling }).pass(never)).rejects.toMatchObject({ code: 'SEGMENT_DAMAGED' });
    expect(await log.keeper.archived()).toBe(origin);
  });

  test('killed between writing and marking: the next one reads it back, marks it and goes on', async () => {
    const all = await fill(log.events, 200);
    await log.clock.advance(25 * hour);
    const dying: LogKeeper = { ...log.keeper, markArchived: () => Promise.reject(new Error('killed')) };
    await expect(retention({ keeper: dying }).pass(never)).rejects.toThrow('killed');
    expect([(await archive.last())?.number, await log.keeper.archived()]).toEqual([1, origin]);
    expect(await retention().pass(never)).toEqual({ segments: 1, removed: 200, more: false });
    expect(await flat(createHistory({ store: log.events, archive }).log(origin))).toEqual(all);
  });

  test('an archive that begins late says that history has a hole', async () => {
    const all = await fill(log.events, 200);
    await log.keeper.markArchived(all[49]?.position ?? origin);
    await log.keeper.trim(all[49]?.position ?? origin);
    await log.clock.advance(hour);
    expect((await retention().pass(never)).segments).toBe(1);
    expect(await archive.last()).toMatchObject({ number: 1, first: all[50]?.position, events: 100 });
    expect(said.lines).toContainEqual(expect.stringContaining('its history has a hole'));
    await expect(flat(createHistory({ store: log.events, archive }).log(origin))).rejects.toMatchObject({ code: 'POSITION_TRIMMED' });
  });
});

describe('trimming', () => {
  test('events of age leave the log, younger ones stay', async () => {
    await fill(log.events, 100, undefined, 'old');
    await log.clock.advance(12 * hour);
    await fill(log.events, 100, undefined, 'young');
    await log.clock.advance(12 * hour);
    expect(await retention().pass(never)).toEqual({ segments: 2, removed: 100, more: false });
    expect((await log.events.extent()).events).toBe(100);
  });

  test('past its bytes the oldest segments leave, down to nine tenths of the bound', async () => {
    const all = await fill(log.events, 1000);
    await log.clock.advance(hour);
    let events = 1000;
    const keeper: LogKeeper = {
      ...weighing(() => events * 1000),
      trim: async (upTo) => {
        const answer = await log.keeper.trim(upTo);
        events -= answer.removed;
        return answer;
      },
    };
    // 1,000,000 bytes, 720,000 wanted: 280 events too many, in whole segments 300.
    expect(await retention({ keeper, maxBytes: 800_000 }).pass(never)).toEqual({ segments: 10, removed: 300, more: false });
    expect((await log.events.extent()).first).toBe(all[300]?.position);
    expect(said.lines.filter((line) => line.startsWith('warn'))).toEqual([]);
    expect(metrics.values.get('mogenius_operator_event_log_bytes{}')).toBe(700_000);
  });

  test('without a number the bound is half of maxmemory, or a GiB', async () => {
    await retention({ keeper: weighing(() => 1, 4096), maxBytes: 0 }).pass(never);
    expect(metrics.values.get('mogenius_operator_event_log_bound_bytes{}')).toBe(2048);
    await retention({ keeper: weighing(() => 1), maxBytes: 0 }).pass(never);
    expect(metrics.values.get('mogenius_operator_event_log_bound_bytes{}')).toBe(1_073_741_824);
  });

  test('an unfinished command is not trimmed, and past the bound it is said why', async () => {
    await log.commands.accept({
      command: 'c1',
      aggregate: 'workspace/a',
      digest: 'd',
      deadline: Date.UTC(2100, 0, 1),
      event: { type: 'CommandAccepted', schema: 1, time: '2026-01-01T00:00:00.000Z', data: {} },
    });
    await fill(log.events, 299);
    await log.clock.advance(25 * hour);
    const module = retention({ keeper: weighing(() => 900_000), maxBytes: 100_000 });
    expect(await module.pass(never)).toEqual({ segments: 3, removed: 0, more: false, stuck: 'open command' });
    await module.pass(never);
    expect(said.lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn the log is past its bound and can not be trimmed {"reason":"open command","bytes":900000,"bound":100000}',
    ]);
    expect(metrics.values.get('mogenius_operator_event_log_stuck{}')).toBe(1);
  });

  test('without an archive nothing is trimmed, and past the bound it is said what to set', async () => {
    await fill(log.events, 100);
    await log.clock.advance(1000 * hour);
    const { archive: _, ...bare } = { archive };
    const module = createRetention({
      ...bare,
      store: log.events,
      keeper: weighing(() => 10),
      clock: log.clock,
      log: said,
      metrics,
      maxAge: hour,
      maxBytes: 5,
    });
    expect(await module.pass(never)).toMatchObject({
      removed: 0,
      stuck: 'nothing is archived: set MO_ARCHIVE_PATH or MO_EVENTSTOREDB_URL',
    });
    expect((await log.events.extent()).events).toBe(100);
  });

  test('a log past its bound for young events alone gets no heap of small segments', async () => {
    await fill(log.events, 1000, undefined, 'a');
    await fill(log.events, 50, undefined, 'b');
    await log.clock.advance(hour);
    const module = retention({ keeper: weighing(() => 1050), maxBytes: 1000 });
    expect((await module.pass(never)).segments).toBe(10);
    expect((await module.pass(never)).segments).toBe(0);
  });

  test('past the bound a part of a segment is archived when all else would not do', async () => {
    await fill(log.events, 90);
    await log.clock.advance(hour);
    let bytes = 90_000;
    const keeper = weighing(() => bytes);
    const trim = keeper.trim;
    const module = retention({
      keeper: {
        ...keeper,
        trim: async (upTo) => {
          bytes = 0;
          return trim(upTo);
        },
      },
      maxBytes: 50_000,
    });
    expect(await module.pass(never)).toEqual({ segments: 1, removed: 90, more: false });
  });

  test('a reader that is alive is waited for within the bytes, and not beyond', async () => {
    const all = await fill(log.events, 200);
    await log.clock.advance(25 * hour);
    const readers = async (): Promise<Position> => all[29]?.position ?? origin;
    expect(await retention({ readers }).pass(never)).toMatchObject({ removed: 30 });
    expect(await retention({ readers, keeper: weighing(() => 2000), maxBytes: 1000 }).pass(never)).toMatchObject({ removed: 170 });
  });
});

describe('who does it', () => {
  test('only the leader', async () => {
    await fill(log.events, 100);
    await log.clock.advance(hour);
    let term: number | undefined;
    const leadership = { term: () => term, onLead: () => {}, status: () => ({ leading: term !== undefined }) };
    const module = retention({ leadership });
    expect(await module.pass(never)).toEqual({ segments: 0, removed: 0, more: false });
    term = 3;
    expect((await module.pass(never)).segments).toBe(1);
  });

  test('one that loses the lead within a pass stops before the next step', async () => {
    await fill(log.events, 300);
    await log.clock.advance(25 * hour);
    let calls = 0;
    const leadership = { term: () => (++calls <= 2 ? 1 : undefined), onLead: () => {}, status: () => ({ leading: true }) };
    expect(await retention({ leadership }).pass(never)).toEqual({ segments: 1, removed: 0, more: false });
    expect((await log.events.extent()).events).toBe(300);
  });

  test('two leaders at once: the slower one writes nothing twice', async () => {
    const all = await fill(log.events, 300);
    await log.clock.advance(hour);
    const other = createFileArchive({ path: root, clusterId: 'test' });
    await Promise.all([retention().pass(never), retention({ archive: other }).pass(never)]);
    await retention().pass(never);
    expect(await flat(archive.log(origin))).toEqual(all);
    for await (const { number } of archive.segments()) await archive.verify(number);
  });

  test('it works by the clock until it is stopped, and says a failure once', async () => {
    await fill(log.events, 100);
    let broken = true;
    const keeper: LogKeeper = { ...log.keeper, size: () => (broken ? Promise.reject(new Error('away')) : log.keeper.size()) };
    const module = retention({ keeper });
    await module.start(never);
    await log.clock.advance(200_000);
    expect(said.lines).toEqual([expect.stringContaining('the log is neither archived nor trimmed')]);
    broken = false;
    const archived = new Promise<void>((resolve) => {
      const info = said.info;
      said.info = (message, data) => {
        info(message, data);
        if (message.startsWith('segment 1 archived')) resolve();
      };
    });
    await log.clock.advance(70_000);
    await archived;
    await settle();
    expect(await module.stop({ deadline: 1000 })).toEqual({ dropped: [] });
  });
});

describe('lost writes', () => {
  test('the last archived event is gone from the log and was not trimmed: it is said, once', async () => {
    const all = await fill(log.events, 100);
    await log.clock.advance(hour);
    const module = retention();
    await module.pass(never);
    // The same place after a failover: another event stands there.
    const position = all[99]?.position ?? origin;
    const store: EventStore = {
      ...log.events,
      async *log(after, how) {
        for await (const events of log.events.log(after, how))
          yield events.map((event) => (event.position === position ? { ...event, id: 'new/0' } : event));
      },
    };
    const next = retention({ store });
    await next.pass(never);
    await next.pass(never);
    expect(said.lines.filter((line) => line.startsWith('error'))).toEqual([expect.stringContaining(`the log lost its end`)]);
    expect(metrics.values.get('mogenius_operator_event_log_losses_total{}')).toBe(1);
  });

  test('an empty log below a full archive is a loss; a trimmed one is not', async () => {
    const all = await fill(log.events, 100);
    await archive.write({ after: origin, events: batches(all) });
    const empty = memoryLog();
    await createRetention({
      store: empty.events,
      keeper: empty.keeper,
      archive,
      clock: log.clock,
      log: said,
      metrics,
      maxAge: hour,
      maxBytes: 1e9,
    }).pass(never);
    expect(metrics.values.get('mogenius_operator_event_log_losses_total{}')).toBe(1);
    await log.keeper.markArchived(all[99]?.position ?? origin);
    await log.keeper.trim(all[99]?.position ?? origin);
    await retention().pass(never);
    expect(metrics.values.get('mogenius_operator_event_log_losses_total{}')).toBe(1);
  });
});
