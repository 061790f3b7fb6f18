import { expect, test } from 'vitest';
import { batches, gather, recordedRange } from '../../support/archive/index.ts';
import type { OpenArchive } from './suite.ts';

export function verifying(open: OpenArchive): void {
  test('a segment is read back and its numbers are those it was written with', async () => {
    const { archive, again } = await open();
    const first = await archive.write({ after: '0-0', events: batches(recordedRange(1, 1000)) });
    const second = await archive.write({ after: '1000-0', events: batches(recordedRange(1001, 1003)) });
    for (const one of [archive, await again()]) {
      expect({ outcome: 'written', segment: await one.verify(1) }).toEqual(first);
      expect({ outcome: 'written', segment: await one.verify(2) }).toEqual(second);
    }
  });

  test('the whole chain holds', async () => {
    const { archive } = await open();
    for (let n = 0; n < 5; n += 1) await archive.write({ after: `${n * 10}-0`, events: batches(recordedRange(n * 10 + 1, n * 10 + 10)) });
    const segments = await gather(archive.segments());
    expect(segments.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    for (const [n, { previous }] of segments.entries()) expect(previous).toBe(n === 0 ? '0'.repeat(64) : segments[n - 1]?.hash);
    for (const { number, hash } of segments) expect((await archive.verify(number)).hash).toBe(hash);
  });

  test('a segment that is not there can not be verified', async () => {
    const { archive } = await open();
    await archive.write({ after: '0-0', events: batches(recordedRange(1, 3)) });
    await expect(archive.verify(2)).rejects.toMatchObject({ code: 'SEGMENT_DAMAGED' });
  });
}
