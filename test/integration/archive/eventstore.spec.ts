import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEventStoreArchive } from '../../../adapters/eventstore/index.ts';
import type { Archive } from '../../../domain/ports/index.ts';
import { batches, flat, recordedRange } from '../../support/archive/index.ts';
import { type EventStoreDouble, eventStoreDouble } from '../../support/eventstore/index.ts';
import { createFakeClock } from '../../support/fake-clock/index.ts';
import { systemClock } from '../../support/valkey/index.ts';

let server: EventStoreDouble;
const opened: Archive[] = [];
beforeEach(async () => {
  server = await eventStoreDouble();
});
afterEach(async () => {
  for (const archive of opened.splice(0)) await archive.close();
  server.stop();
});

function open(more: { readonly url?: string; readonly clock?: typeof systemClock } = {}): Archive {
  const archive = createEventStoreArchive({ url: server.url, clusterId: 'test', clock: systemClock, ...more });
  opened.push(archive);
  return archive;
}

/** What a caller does with ARCHIVE_UNAVAILABLE: the same again. */
async function untilWritten(archive: Archive, from: number, to: number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { outcome } = await archive.write({ after: `${from - 1}-0`, events: batches(recordedRange(from, to)) });
      if (outcome === 'written' || tries > 1) return tries;
      throw new Error('a conflict at the first try');
    } catch (error) {
      if (tries > 9 || !(error instanceof Error && 'code' in error && error.code === 'ARCHIVE_UNAVAILABLE')) throw error;
    }
  }
}

test('answers that are lost leave no event twice and none out', async () => {
  const archive = open();
  server.loseAnswers(4);
  expect(await untilWritten(archive, 1, 800)).toBeGreaterThan(1);
  await untilWritten(archive, 801, 1000);
  expect(await flat(archive.log('0-0'))).toEqual(recordedRange(1, 1000));
  expect(server.streams.get('mogenius-test-log')).toHaveLength(1000);
  expect(await archive.verify(1)).toMatchObject({ events: 800 });
  expect(await archive.verify(2)).toMatchObject({ events: 200 });
});

test('a server that restarts is found again', async () => {
  const archive = open();
  await untilWritten(archive, 1, 10);
  server.stop();
  await expect(archive.last()).rejects.toMatchObject({ code: 'ARCHIVE_UNAVAILABLE' });
  await server.start();
  for (let tries = 0; tries < 50 && !(await archive.last().catch(() => undefined)); tries += 1);
  expect(await untilWritten(archive, 11, 20)).toBeLessThan(9);
  expect(await flat(archive.log('0-0'))).toHaveLength(20);
});

test('a server that takes calls and never answers is given up on', async () => {
  const clock = createFakeClock();
  const archive = open({ clock });
  server.hold();
  const asking = archive.last();
  const refused = expect(asking).rejects.toMatchObject({
    code: 'ARCHIVE_UNAVAILABLE',
    message: expect.stringContaining('no answer within 30 s'),
  });
  await clock.advance(30_000);
  await refused;
});

test('an event that was changed in the store is found, and the segment is named', async () => {
  const archive = open();
  await untilWritten(archive, 1, 300);
  const kept = server.streams.get('mogenius-test-log')?.[120];
  if (kept) kept.data = Buffer.from(kept.data.toString('utf8').replace('grün', 'blau'));
  await expect(archive.verify(1)).rejects.toMatchObject({
    code: 'SEGMENT_DAMAGED',
    message: expect.stringContaining('1 in mogenius-test-segments'),
  });
  if (kept) kept.data = Buffer.from('{"not":"an event"}');
  await expect(flat(archive.log('0-0'))).rejects.toMatchObject({ message: expect.stringContaining('mogenius-test-log at revision 120') });
});

test('the password stands in no message', async () => {
  const refusing = await eventStoreDouble({ token: 'Basic other' });
  const url = `esdb://ada:canary-secret@127.0.0.1:${refusing.port}?tls=false`;
  const archive = open({ url });
  expect(archive.name).toBe(`in EventStoreDB at 127.0.0.1:${refusing.port}`);
  const error = await archive.last().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'ARCHIVE_UNAVAILABLE', message: expect.stringContaining('the user may not do that') });
  const broken = await open({ url: 'esdb://ada:canary-secret@host:port:2113??' })
    .last()
    .catch((reason: unknown) => reason);
  expect(broken).toMatchObject({ code: 'ARCHIVE_UNAVAILABLE' });
  for (const one of [error, broken]) expect(JSON.stringify(one) + String(one)).not.toContain('canary-secret');
  expect(() => open({ url: 'http://ada:canary-secret@host' })).toThrow(/^an EventStoreDB is named as/);
  refusing.stop();
});
