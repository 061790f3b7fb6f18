import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { origin, type Position, type RecordedEvent, type StreamName } from '../../domain/event/index.ts';
import type { Archive } from '../../domain/ports/index.ts';
import { createSchemas } from '../../domain/schemas/index.ts';
import { batches, fill, flat, gather, memoryLog, recorded } from '../../test/support/archive/index.ts';
import { createFileArchive, createHistory } from './index.ts';

const streams: readonly StreamName[] = ['object/core/pods/a/1', 'object/core/pods/a/2', 'object/core/pods/a/3'];
let root = '';
let archive: Archive;
let log: ReturnType<typeof memoryLog>;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mogenius-history-'));
  archive = createFileArchive({ path: root, clusterId: 'test' });
  log = memoryLog();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Archives the events up to index `to` and trims them up to index `trimmed`. */
async function archiveAndTrim(all: readonly RecordedEvent[], from: number, to: number, trimmed = to): Promise<void> {
  await archive.write({ after: all[from - 1]?.position ?? origin, events: batches(all.slice(from, to)) });
  await log.keeper.markArchived(all[to - 1]?.position ?? origin);
  await log.keeper.trim(all[trimmed - 1]?.position ?? origin);
}

describe('the whole log', () => {
  test('continues from the archive into the log without a seam', async () => {
    const all = await fill(log.events, 1000, streams);
    await archiveAndTrim(all, 0, 300, 200);
    await archiveAndTrim(all, 300, 700);
    const history = createHistory({ store: log.events, archive });
    expect((await log.events.extent()).events).toBe(300);
    expect(await flat(history.log(origin))).toEqual(all);
    for (const n of [0, 199, 298, 299, 300, 698, 699, 700, 998]) {
      expect((await flat(history.log(all[n]?.position ?? origin))).map(({ id }) => id)).toEqual(all.slice(n + 1).map(({ id }) => id));
    }
    expect(await flat(history.log(all[999]?.position ?? origin))).toEqual([]);
  });

  test('batches are as small as was asked, in the archive too', async () => {
    const all = await fill(log.events, 100, streams);
    await archiveAndTrim(all, 0, 60);
    const sizes = (await gather(createHistory({ store: log.events, archive }).log(origin, { batch: 7 }))).map(({ length }) => length);
    expect(Math.max(...sizes)).toBe(7);
    expect(sizes.reduce((a, b) => a + b)).toBe(100);
  });

  test('a reader that is overtaken by the trim goes on in the archive, and comes back to the log', async () => {
    const all = await fill(log.events, 1000, streams);
    const read: RecordedEvent[] = [];
    let done = 0;
    for await (const events of createHistory({ store: log.events, archive }).log(origin, { batch: 20 })) {
      read.push(...events);
      // Every batch that is read, the trim takes twice as much.
      if (done < 900) {
        await archiveAndTrim(all, done, done + 45);
        done += 45;
      }
    }
    expect(read.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });

  test('following goes on into what is appended later, and ends without an error', async () => {
    const all = await fill(log.events, 50, streams);
    await archiveAndTrim(all, 0, 30);
    const stop = new AbortController();
    const read: string[] = [];
    for await (const events of createHistory({ store: log.events, archive }).log(origin, { follow: stop.signal })) {
      read.push(...events.map(({ id }) => id));
      if (read.length === 50) await fill(log.events, 5, streams, 'later');
      if (read.length === 55) stop.abort();
    }
    expect(read).toHaveLength(55);
    expect(new Set(read).size).toBe(55);
    expect(read[54]).toBe('later-4/1');
  });

  test('what was trimmed and is in no archive is said, with where history begins', async () => {
    const all = await fill(log.events, 100, streams);
    await log.keeper.markArchived(all[59]?.position ?? origin);
    await log.keeper.trim(all[59]?.position ?? origin);
    const first = all[60]?.position;
    for (const history of [createHistory({ store: log.events }), createHistory({ store: log.events, archive })]) {
      await expect(flat(history.log(origin))).rejects.toMatchObject({ code: 'POSITION_TRIMMED', data: { position: '0-0', first } });
      expect(await flat(history.log(all[59]?.position ?? origin))).toHaveLength(40);
    }
  });

  test('an archive that lacks its beginning says where it begins', async () => {
    const all = await fill(log.events, 100, streams);
    await archiveAndTrim(all, 10, 60);
    const history = createHistory({ store: log.events, archive });
    await expect(flat(history.log(origin))).rejects.toMatchObject({ data: { position: '0-0', first: all[10]?.position } });
    expect(await flat(history.log(all[9]?.position ?? origin))).toHaveLength(90);
  });

  test('an archive that lacks its end is not stepped over', async () => {
    const all = await fill(log.events, 100, streams);
    await archiveAndTrim(all, 0, 40);
    await log.keeper.markArchived(all[69]?.position ?? origin);
    await log.keeper.trim(all[69]?.position ?? origin);
    const read: string[] = [];
    const whole = async () => {
      for await (const events of createHistory({ store: log.events, archive }).log(origin)) read.push(...events.map(({ id }) => id));
    };
    await expect(whole()).rejects.toMatchObject({
      code: 'POSITION_TRIMMED',
      data: { position: all[39]?.position, first: all[70]?.position },
    });
    expect(read).toHaveLength(40);
  });

  test('with everything trimmed the archive is the history', async () => {
    const all = await fill(log.events, 100, streams);
    await archiveAndTrim(all, 0, 100);
    const history = createHistory({ store: log.events, archive });
    expect(await flat(history.log(origin))).toEqual(all);
    expect(await gather(history.read('object/core/pods/a/2'))).toHaveLength(33);
  });
});

describe('one stream', () => {
  const own = (all: readonly RecordedEvent[]) => all.filter(({ stream }) => stream === 'object/core/pods/a/2');

  test('continues from the archive into the log', async () => {
    const all = await fill(log.events, 300, streams);
    await archiveAndTrim(all, 0, 100, 50);
    await archiveAndTrim(all, 100, 200);
    const history = createHistory({ store: log.events, archive });
    expect(await gather(history.read('object/core/pods/a/2'))).toEqual(own(all));
    for (const version of [1, 16, 17, 33, 34, 66, 67, 99]) {
      expect((await gather(history.read('object/core/pods/a/2', version))).map((event) => event.version)[0]).toBe(version + 1);
    }
    expect(await gather(history.read('object/core/pods/a/2', 100))).toEqual([]);
    expect(await gather(history.read('object/core/pods/a/none'))).toEqual([]);
  });

  test('what the trim takes from under the reader is read in the archive', async () => {
    const all = await fill(log.events, 300, streams);
    const store = { ...log.events, read: slowly(log.events.read) };
    const read: RecordedEvent[] = [];
    let done = 0;
    for await (const event of createHistory({ store, archive }).read('object/core/pods/a/2')) {
      read.push(event);
      if (read.length % 10 === 0 && done < 270) {
        await archiveAndTrim(all, done, done + 90);
        done += 90;
      }
    }
    expect(read).toEqual(own(all));
  });

  test('all its events may be gone from the log', async () => {
    await fill(log.events, 10, ['object/core/pods/a/2'], 'early');
    const all = await fill(log.events, 100, ['object/core/pods/a/1'], 'late');
    await archiveAndTrim(all, 0, 50);
    expect(await gather(createHistory({ store: log.events, archive }).read('object/core/pods/a/2'))).toEqual(all.slice(0, 10));
  });

  test('a beginning that no archive has is said', async () => {
    const all = await fill(log.events, 100, streams);
    await archiveAndTrim(all, 10, 60);
    await expect(gather(createHistory({ store: log.events, archive }).read('object/core/pods/a/2'))).rejects.toMatchObject({
      code: 'POSITION_TRIMMED',
    });
    expect(await gather(createHistory({ store: log.events, archive }).read('object/core/pods/a/2', 5))).toHaveLength(28);
  });

  test('commands have no index: their streams are refused as ever', async () => {
    await expect(gather(createHistory({ store: log.events, archive }).read('command/c1'))).rejects.toMatchObject({
      code: 'STREAM_NOT_INDEXED',
    });
  });
});

test('old events are read in the version of now, from the archive as from the log', async () => {
  const schemas = createSchemas({ ThingHappened: { version: 2, schema: z.unknown(), upcasters: [(data) => ({ was: data })] } });
  const all = await fill(log.events, 3);
  await archiveAndTrim(all, 0, 2);
  const history = createHistory({ store: log.events, archive, schemas });
  const now = [0, 1, 2].map((n) => ({ schema: 2, data: { was: { n } } }));
  expect(await flat(history.log(origin))).toMatchObject(now);
  expect(await gather(history.read('object/core/pods/shop/web'))).toMatchObject(now);
  expect(await archive.find(all[0]?.position ?? origin)).toMatchObject({ schema: 1, data: { n: 0 } });
});

test('what a failover took from the log is no part of its history, though the archive has it', async () => {
  const all = await fill(log.events, 20);
  await archiveAndTrim(all, 0, 10);
  const lost: Position = '9999999999999-0';
  await archive.write({ after: all[9]?.position ?? origin, events: batches([recorded(lost)]) });
  expect(await flat(createHistory({ store: log.events, archive }).log(origin))).toEqual(all);
});

/** A read that looks up one event at a time, as a store does that pages through its index. */
function slowly(read: (stream: StreamName, after?: number) => AsyncIterable<RecordedEvent>) {
  return async function* (stream: StreamName, after = 0): AsyncGenerator<RecordedEvent> {
    for (let from = after; ; ) {
      let found: RecordedEvent | undefined;
      for await (const event of read(stream, from)) {
        found = event;
        break;
      }
      if (!found) return;
      from = found.version;
      yield found;
    }
  };
}
