import { expect, test } from 'vitest';
import type { Position, StreamName } from '../../../domain/event/index.ts';
import type { Archive } from '../../../domain/ports/index.ts';
import { batches, flat, gather, recorded, recordedRange } from '../../support/archive/index.ts';
import type { OpenArchive } from './suite.ts';

const pods: readonly StreamName[] = ['object/core/pods/a/1', 'object/core/pods/a/2', 'command/c1'];

/** Positions 1 to 1000 in segments that end at 400, 700 and 1000, of three streams in turn. */
async function threeSegments(open: OpenArchive): Promise<Archive> {
  const { archive } = await open();
  let after: Position = '0-0';
  for (const [from, to] of [
    [1, 400],
    [401, 700],
    [701, 1000],
  ] as const) {
    await archive.write({ after, events: batches(recordedRange(from, to, pods)) });
    after = `${to}-0`;
  }
  return archive;
}

export function reading(open: OpenArchive): void {
  test('an event comes back as it was, with everything it carries', async () => {
    const { archive } = await open();
    const full = recorded('1767225600000-3', {
      id: 'c1/accepted/0',
      type: 'CommandAccepted',
      schema: 7,
      stream: 'command/with a space/ünd "quotes"',
      version: 12,
      commandid: 'c1',
      causationid: 'c0/outcome/0',
      correlationid: 'q',
      actor: { email: 'a@b.c', source: 'platform', apiKey: { name: 'ci', id: '1' }, isMcpRequest: false },
      data: { b: [1, 2.5, null, true], a: { '10': 'ten', '2': 'two' }, text: 'line\nbreak   and 🚢' },
    });
    const bare = recorded('1767225600000-4', { data: null });
    await archive.write({ after: '0-0', events: batches([full, bare]) });
    expect(await flat(archive.log('0-0'))).toEqual([full, bare]);
    expect(JSON.stringify((await archive.find('1767225600000-3'))?.actor)).toBe(JSON.stringify(full.actor));
    expect(await gather(archive.read(full.stream))).toEqual([full]);
    expect((await archive.verify(1)).events).toBe(2);
  });

  test('the log is read across segments, in batches that are bounded and never empty', async () => {
    const archive = await threeSegments(open);
    const read = await gather(archive.log('0-0'));
    expect(read.flat()).toEqual(recordedRange(1, 1000, pods));
    expect(Math.max(...read.map(({ length }) => length))).toBeLessThanOrEqual(250);
    expect(Math.min(...read.map(({ length }) => length))).toBeGreaterThan(0);
  });

  test('it is read after a position: inside a segment, at its border, at the end, beyond it', async () => {
    const archive = await threeSegments(open);
    for (const after of [1, 249, 399, 400, 401, 699, 700, 999]) {
      const read = await flat(archive.log(`${after}-0`));
      expect(read.length).toBe(1000 - after);
      expect(read[0]?.position).toBe(`${after + 1}-0`);
    }
    expect(await flat(archive.log('750-7'))).toHaveLength(250);
    expect(await flat(archive.log('1000-0'))).toEqual([]);
    expect(await flat(archive.log('9999-0'))).toEqual([]);
  });

  test('a reader may leave at any time', async () => {
    const archive = await threeSegments(open);
    for await (const events of archive.log('0-0')) {
      expect(events[0]?.position).toBe('1-0');
      break;
    }
    for await (const event of archive.read('object/core/pods/a/2')) {
      expect(event.version).toBe(1);
      break;
    }
    expect(await flat(archive.log('990-0'))).toHaveLength(10);
  });

  test('one stream is read across segments, after a version, and from a place on', async () => {
    const archive = await threeSegments(open);
    const own = recordedRange(1, 1000, pods).filter(({ stream }) => stream === 'object/core/pods/a/2');
    expect(await gather(archive.read('object/core/pods/a/2'))).toEqual(own);
    expect((await gather(archive.read('object/core/pods/a/2', 300))).map(({ version }) => version)[0]).toBe(301);
    expect((await gather(archive.read('object/core/pods/a/2', 0, '700-0')))[0]?.position).toBe('703-0');
    expect(await gather(archive.read('object/core/pods/a/2', 334))).toEqual([]);
  });

  test('a stream that is part of the name of another is another', async () => {
    const { archive } = await open();
    await archive.write({
      after: '0-0',
      events: batches([recorded('1-0', { stream: 'object/a/bb', version: 1 }), recorded('2-0', { stream: 'object/a/b', version: 1 })]),
    });
    expect((await gather(archive.read('object/a/b'))).map(({ position }) => position)).toEqual(['2-0']);
    expect(await gather(archive.read('object/a'))).toEqual([]);
  });

  test('an event is found by its position', async () => {
    const archive = await threeSegments(open);
    for (const n of [1, 400, 401, 650, 1000]) expect((await archive.find(`${n}-0`))?.id).toBe(`append-${n}-0/0`);
    for (const n of ['0-0', '5-1', '400-1', '1000-1', '1001-0'] as const) expect(await archive.find(n)).toBeUndefined();
  });

  test('reading before its beginning says that history is not whole', async () => {
    const { archive } = await open();
    await archive.write({ after: '99-0', events: batches(recordedRange(100, 110)) });
    await expect(flat(archive.log('50-0'))).rejects.toMatchObject({ code: 'POSITION_TRIMMED', data: { position: '50-0', first: '100-0' } });
    expect(await flat(archive.log('99-0'))).toHaveLength(11);
  });

  test('a hole between two segments is named, not stepped over', async () => {
    const { archive } = await open();
    await archive.write({ after: '0-0', events: batches(recordedRange(1, 10)) });
    await archive.write({ after: '20-0', events: batches(recordedRange(21, 30)) });
    const read: string[] = [];
    const all = async () => {
      for await (const events of archive.log('0-0')) read.push(...events.map(({ position }) => position));
    };
    await expect(all()).rejects.toMatchObject({ code: 'POSITION_TRIMMED', data: { position: '10-0', first: '21-0' } });
    expect(read).toHaveLength(10);
    expect(await flat(archive.log('20-0'))).toHaveLength(10);
  });

  test('it is read while somebody adds to it', async () => {
    const archive = await threeSegments(open);
    const reading = archive.log('0-0')[Symbol.asyncIterator]();
    const first = await reading.next();
    await archive.write({ after: '1000-0', events: batches(recordedRange(1001, 1010)) });
    let last = first.done ? undefined : first.value.at(-1)?.position;
    for (let next = await reading.next(); !next.done; next = await reading.next()) last = next.value.at(-1)?.position;
    expect(['1000-0', '1010-0']).toContain(last);
    expect(await flat(archive.log('1000-0'))).toHaveLength(10);
  });
}
