import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileArchive } from '../../../adapters/archive/index.ts';
import { batches, flat, gather, recordedRange } from '../../support/archive/index.ts';

let root = '';
let folder = '';
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'mogenius-damage-'));
  folder = join(root, 'test');
  const archive = open();
  await archive.write({ after: '0-0', events: batches(recordedRange(1, 600)) });
  await archive.write({ after: '600-0', events: batches(recordedRange(601, 1200)) });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = () => createFileArchive({ path: root, clusterId: 'test' });
const first = 'segment-0000000001.jsonl.zst';
const second = 'segment-0000000002.jsonl.zst';
const damaged = (segment: string) => ({ code: 'SEGMENT_DAMAGED', message: expect.stringContaining(segment) });

function flip(name: string, at: (size: number) => number): void {
  const bytes = readFileSync(join(folder, name));
  const place = at(bytes.length);
  bytes[place] = (bytes[place] ?? 0) ^ 0x10;
  writeFileSync(join(folder, name), bytes);
}

test.each([
  ['in the header', () => 12],
  ['in an event', (size: number) => Math.floor(size / 3)],
  ['in the index', (size: number) => size - 700],
  ['in the trailer', (size: number) => size - 60],
  ['in the last bytes', (size: number) => size - 4],
])('one flipped bit %s is found, and the segment is named', async (_, at) => {
  flip(second, at);
  await expect(open().verify(2)).rejects.toMatchObject(damaged(second));
  expect(await open().verify(1)).toMatchObject({ events: 600 });
});

test('reading stops at the damage instead of leaving events out', async () => {
  flip(first, (size) => Math.floor(size / 3));
  const read: string[] = [];
  const all = async () => {
    for await (const events of open().log('0-0')) read.push(...events.map(({ position }) => position));
  };
  await expect(all()).rejects.toMatchObject(damaged(first));
  expect(read.every((position, n) => position === `${n + 1}-0`)).toBe(true);
  expect(await flat(open().log('600-0'))).toHaveLength(600);
});

test('a file that is cut off is refused, wherever it was cut', async () => {
  const whole = statSync(join(folder, second)).size;
  for (const size of [whole - 1, Math.floor(whole / 2), 30, 3, 0]) {
    truncateSync(join(folder, second), size);
    await expect(open().verify(2)).rejects.toMatchObject(damaged(second));
    await expect(open().last()).rejects.toMatchObject(damaged(second));
  }
});

test('a segment that was exchanged for another does not fit the chain', async () => {
  const other = createFileArchive({ path: join(root, 'other'), clusterId: 'test' });
  await other.write({ after: '0-0', events: batches(recordedRange(1, 599)) });
  await other.write({ after: '599-0', events: batches(recordedRange(601, 1200)) });
  writeFileSync(join(folder, second), readFileSync(join(root, 'other', 'test', second)));
  await expect(open().verify(2)).rejects.toMatchObject(damaged(second));
});

test('a segment of another cluster is refused', async () => {
  await createFileArchive({ path: root, clusterId: 'two' }).write({ after: '0-0', events: batches(recordedRange(1, 3)) });
  writeFileSync(join(folder, second), readFileSync(join(root, 'two', first)));
  await expect(open().last()).rejects.toMatchObject({
    code: 'SEGMENT_DAMAGED',
    message: expect.stringContaining('belongs to the cluster two'),
  });
});

test('a missing segment is a hole that is named', async () => {
  await open().write({ after: '1200-0', events: batches(recordedRange(1201, 1210)) });
  rmSync(join(folder, second));
  await expect(flat(open().log('0-0'))).rejects.toMatchObject({ code: 'POSITION_TRIMMED', data: { position: '600-0', first: '1201-0' } });
  await expect(open().verify(2)).rejects.toMatchObject(damaged(second));
});

test('what a killed writer left is ignored, and removed once it is old', async () => {
  const part = (n: number) => join(folder, `.part-00000000-0000-4000-8000-00000000000${n}`);
  writeFileSync(part(1), 'half a segment');
  writeFileSync(part(2), 'somebody is writing this now');
  utimesSync(part(1), new Date('2020-01-01'), new Date('2020-01-01'));
  expect(await gather(open().segments())).toHaveLength(2);
  await open().write({ after: '1200-0', events: batches(recordedRange(1201, 1203)) });
  expect(readdirSync(folder).sort()).toEqual(['.part-00000000-0000-4000-8000-000000000002', first, second, 'segment-0000000003.jsonl.zst']);
});

test('files are for their owner only, and lie where no cluster id can lead out of', async () => {
  expect(statSync(join(folder, first)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const clusterId of ['../escape', '/etc', '..', '.', 'a/b', 'a\\b', 'ünï', 'x'.repeat(300)]) {
    const archive = createFileArchive({ path: join(root, 'ids'), clusterId });
    await archive.write({ after: '0-0', events: batches(recordedRange(1, 1)) });
    expect(await archive.last()).toMatchObject({ number: 1 });
  }
  expect(readdirSync(root).sort()).toEqual(['ids', 'test']);
  expect(readdirSync(join(root, 'ids')).every((name) => /^id-[0-9a-f]{64}$/.test(name))).toBe(true);
});

const zstd = spawnSync('zstd', ['--version']).error ? 'the program zstd is not there' : undefined;
test.skipIf(zstd)('the zstd program reads a segment: header, events, index, trailer', () => {
  const lines = spawnSync('zstd', ['-dc', join(folder, first)], { encoding: 'utf8' })
    .stdout.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ kind: 'header', cluster: 'test', number: 1 });
  expect(lines.filter(({ specversion }) => specversion === '1.0')).toHaveLength(600);
  expect(lines.at(-1)).toMatchObject({ kind: 'trailer', events: 600, first: '1-0', last: '600-0' });
});

const root0 = process.getuid?.() === 0 ? 'root may write everywhere' : undefined;
test.skipIf(root0)('a folder that can not be written is said, and nothing is lost', async () => {
  chmodSync(folder, 0o500);
  await expect(open().write({ after: '1200-0', events: batches(recordedRange(1201, 1203)) })).rejects.toMatchObject({
    code: 'ARCHIVE_UNAVAILABLE',
  });
  chmodSync(folder, 0o700);
  expect(await open().last()).toMatchObject({ number: 2 });
});

test('a folder that is a file is said', async () => {
  writeFileSync(join(root, 'file'), '');
  const archive = createFileArchive({ path: join(root, 'file'), clusterId: 'test' });
  await expect(archive.write({ after: '0-0', events: batches(recordedRange(1, 3)) })).rejects.toMatchObject({
    code: 'ARCHIVE_UNAVAILABLE',
  });
});
