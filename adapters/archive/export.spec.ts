import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { batches, gather, recorded, recordedRange } from '../../test/support/archive/index.ts';
import { type ExportRange, exportEvents, readExport } from './index.ts';

async function exported(range: ExportRange, to = 600): Promise<string> {
  const target = new PassThrough();
  const chunks: Buffer[] = [];
  target.on('data', (chunk: Buffer) => chunks.push(chunk));
  await exportEvents(batches(recordedRange(1, to)), target, range);
  return Buffer.concat(chunks).toString('utf8');
}

const read = (text: string) => gather(readExport(Readable.from([text])));

test('what was exported is read back, in bounded batches', async () => {
  const batchesRead = await read(await exported({ cluster: 'k8s-1' }));
  expect(batchesRead.flat()).toEqual(recordedRange(1, 600));
  expect(batchesRead.map(({ length }) => length)).toEqual([250, 250, 100]);
});

test('the file is JSON lines: a first one with the cluster, CloudEvents, a last one with count and hash', async () => {
  const lines = (await exported({ cluster: 'k8s-1' }, 1)).split('\n');
  expect(lines[0]).toBe('{"kind":"export","format":1,"cluster":"k8s-1"}');
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ specversion: '1.0', subject: 'object/core/pods/shop/web', position: '1-0' });
  expect(lines[2]).toBe(
    '{"kind":"end","first":"1-0","last":"1-0","events":1,"hash":"c4bb15de99381939ea96f4d0dc8b0f354db16fe03167259e9e4dbd0df5a57579"}',
  );
  expect(lines[3]).toBe('');
});

test('a range begins after its first and ends with its last position', async () => {
  const events = (await read(await exported({ cluster: 'c', from: '10-0', to: '20-0' }))).flat();
  expect([events.length, events[0]?.position, events.at(-1)?.position]).toEqual([10, '11-0', '20-0']);
});

test('nothing to export is an export of nothing', async () => {
  expect(await read(await exported({ cluster: 'c', from: '999-0' }))).toEqual([]);
});

test('what it was is told at its end', async () => {
  const reading = readExport(Readable.from([await exported({ cluster: 'c' }, 3)]));
  await reading.next();
  expect(await reading.next()).toMatchObject({ done: true, value: { cluster: 'c', events: 3, first: '1-0', last: '3-0' } });
});

test.each([
  ['cut off behind an event', (text: string) => text.slice(0, text.lastIndexOf('{"kind":"end"')), 'line 4', 'cut off'],
  ['cut off within an event', (text: string) => text.slice(0, text.indexOf('"position":"2-0"')), 'line 3', 'not JSON'],
  ['a changed word', (text: string) => text.replace('grün', 'blau'), 'line 5', 'was changed'],
  ['an event less', (text: string) => text.split('\n').toSpliced(2, 1).join('\n'), 'line 4', 'other events'],
  ['two events the other way round', (text: string) => swapped(text), 'line 3', 'out of order'],
  ['no event', (text: string) => text.replace('"1.0"', '"9.9"'), 'line 2', 'no event'],
  ['another format', (text: string) => text.replace('"format":1', '"format":2'), 'line 1', 'not the first line'],
  ['something behind the end', (text: string) => `${text}{}\n`, 'line 6', 'behind the last line'],
  ['nothing at all', () => '', 'line 0', 'empty'],
])('%s is refused with its line', async (_, change, line, reason) => {
  const reading = read(change(await exported({ cluster: 'c' }, 3)));
  await expect(reading).rejects.toMatchObject({
    code: 'EXPORT_INVALID',
    message: expect.stringMatching(new RegExp(`^${line} .*${reason}`)),
  });
});

test('a slow target is waited for', async () => {
  const target = new PassThrough({ highWaterMark: 1024 });
  const exporting = exportEvents(batches([recorded('1-0'), recorded('2-0'), recorded('3-0'), recorded('4-0')], 1), target, {
    cluster: 'c',
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(target.readableLength + target.writableLength).toBeLessThan(3000);
  target.resume();
  expect((await exporting).events).toBe(4);
});

function swapped(text: string): string {
  const lines = text.split('\n');
  [lines[1], lines[2]] = [lines[2] ?? '', lines[1] ?? ''];
  return lines.join('\n');
}
