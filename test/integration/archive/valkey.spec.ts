import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFileArchive, createHistory, createRetention, type RetentionOptions } from '../../../adapters/archive/index.ts';
import { createEventStoreArchive } from '../../../adapters/eventstore/index.ts';
import { createValkeyEventStore, createValkeyLogKeeper, type ValkeyConnection } from '../../../adapters/valkey/index.ts';
import { origin, type RecordedEvent, type StreamName } from '../../../domain/event/index.ts';
import type { Archive, EventStore, LogKeeper } from '../../../domain/ports/index.ts';
import { fill, flat, gather } from '../../support/archive/index.ts';
import { captureLog } from '../../support/captured-log/index.ts';
import { type EventStoreDouble, eventStoreDouble } from '../../support/eventstore/index.ts';
import { createCountedMetrics } from '../../support/platform/index.ts';
import { clusterOn, noValkey, systemClock, type ValkeyServer, valkeyServer } from '../../support/valkey/index.ts';

const streams: readonly StreamName[] = Array.from({ length: 50 }, (_, n): StreamName => `object/core/pods/shop/p${n}`);
const never = new AbortController().signal;

describe.skipIf(noValkey)(`history over Valkey and an archive${noValkey ? ` (skipped: ${noValkey})` : ''}`, () => {
  let server: ValkeyServer;
  let double: EventStoreDouble;
  let connection: ValkeyConnection;
  let store: EventStore;
  let keeper: LogKeeper;
  let root = '';
  beforeAll(async () => {
    server = await valkeyServer();
    double = await eventStoreDouble();
  });
  beforeEach(async () => {
    connection = await clusterOn(server);
    store = createValkeyEventStore(connection);
    keeper = createValkeyLogKeeper(connection);
    root = mkdtempSync(join(tmpdir(), 'mogenius-valkey-archive-'));
  });
  afterEach(async () => {
    await connection.stop({ deadline: 0 });
    rmSync(root, { recursive: true, force: true });
  });
  afterAll(async () => {
    await server.stop();
    double.stop();
  });

  const files = (): Archive => createFileArchive({ path: root, clusterId: connection.clusterId });
  /** Everything is of age at once: the tests say when a pass is made. */
  const retention = (archive: Archive, more: Partial<RetentionOptions> = {}) =>
    createRetention({
      store,
      keeper,
      archive,
      clock: { ...systemClock, now: () => Date.now() + 60_000 },
      log: captureLog(),
      metrics: createCountedMetrics(),
      maxAge: 1,
      maxBytes: 1e9,
      segmentEvents: 1_500,
      settle: 0,
      ...more,
    });
  const ids = (events: readonly RecordedEvent[]) => events.map(({ id }) => id);

  test.each([
    ['files', files],
    ['EventStoreDB', () => createEventStoreArchive({ url: double.url, clusterId: connection.clusterId, clock: systemClock })],
  ])('ten thousand events through %s: the log and one stream are read without a seam', async (_, open) => {
    const all = await fill(store, 10_000, streams);
    const archive = open();
    expect(await retention(archive, { maxAge: 1e12 }).pass(never)).toEqual({ segments: 6, removed: 0, more: false });
    await keeper.trim(all[7_776]?.position ?? origin);
    expect((await store.extent()).events).toBe(2_223);
    const history = createHistory({ store, archive });
    expect(ids(await flat(history.log(origin)))).toEqual(ids(all));
    expect(await flat(history.log(all[7_700]?.position ?? origin))).toEqual(all.slice(7_701));
    expect(await gather(history.read('object/core/pods/shop/p7'))).toEqual(
      all.filter(({ stream }) => stream === 'object/core/pods/shop/p7'),
    );
    await archive.close();
  });

  test('a reader, a writer and the retention at once: every event once, in order', async () => {
    await fill(store, 2_000, streams, 'before');
    const archive = files();
    const module = retention(archive, { segmentEvents: 500 });
    const follow = new AbortController();
    const read: string[] = [];
    const reading = (async () => {
      for await (const events of createHistory({ store, archive }).log(origin, { follow: follow.signal, batch: 50 })) {
        read.push(...ids(events));
        if (read.length >= 6_000) follow.abort();
      }
    })();
    for (let n = 0; n < 4; n += 1) {
      await fill(store, 1_000, streams, `during-${n}`);
      await module.pass(never);
    }
    await reading;
    expect((await store.extent()).events).toBeLessThan(1_000);
    expect(read).toEqual(ids(await flat(createHistory({ store, archive }).log(origin))));
    expect(new Set(read).size).toBe(6_000);
  });

  test('killed between write and mark, Valkey restarted: the next pass marks what was written', async () => {
    const all = await fill(store, 300, streams);
    const dying: LogKeeper = { ...keeper, markArchived: () => Promise.reject(new Error('killed')) };
    await expect(retention(files(), { keeper: dying, segmentEvents: 300 }).pass(never)).rejects.toThrow('killed');
    expect(await keeper.archived()).toBe('0-0');
    expect(await retention(files(), { segmentEvents: 300 }).pass(never)).toEqual({ segments: 0, removed: 300, more: false });
    expect(await flat(createHistory({ store, archive: files() }).log(origin))).toEqual(all);
  });
});
