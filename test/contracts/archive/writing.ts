import { expect, test } from 'vitest';
import type { RecordedEvent } from '../../../domain/event/index.ts';
import { batches, flat, gather, recorded, recordedRange } from '../../support/archive/index.ts';
import type { OpenArchive } from './suite.ts';

const zeros = '0000000000000000000000000000000000000000000000000000000000000000';
/** printf of the previous hash and the events' lines, through sha256sum. */
const firstHash = 'e252944c241a008327dc1da6afb5b60908077d2fba3e350cfcf2b32aac37c5a6';
const secondHash = '658f838fa2aba57b456c0c6cbdbd44eb9f793b0553a8c23466ea239fb7287f2a';

export function writing(open: OpenArchive): void {
  test('an archive without segments is empty', async () => {
    const { archive } = await open();
    expect(await archive.last()).toBeUndefined();
    expect(await gather(archive.segments())).toEqual([]);
    expect(await gather(archive.log('0-0'))).toEqual([]);
    expect(await gather(archive.read('object/x'))).toEqual([]);
    expect(await archive.find('1-0')).toBeUndefined();
  });

  test('segments are chained by the hash of their lines', async () => {
    const { archive } = await open();
    const first = await archive.write({ after: '0-0', events: batches([recorded('5-0'), recorded('6-1')]) });
    const second = await archive.write({ after: '6-1', events: batches([recorded('7-0')]) });
    expect(first).toEqual({
      outcome: 'written',
      segment: {
        number: 1,
        after: '0-0',
        first: '5-0',
        last: '6-1',
        events: 2,
        bytes: expect.any(Number),
        hash: firstHash,
        previous: zeros,
      },
    });
    expect(second).toEqual({
      outcome: 'written',
      segment: {
        number: 2,
        after: '6-1',
        first: '7-0',
        last: '7-0',
        events: 1,
        bytes: expect.any(Number),
        hash: secondHash,
        previous: firstHash,
      },
    });
  });

  test('what was written is there for whoever opens it next', async () => {
    const { archive, again } = await open();
    const written = await archive.write({ after: '0-0', events: batches([recorded('5-0')]) });
    const other = await again();
    expect({ outcome: 'written', segment: await other.last() }).toEqual(written);
    expect(await flat(other.log('0-0'))).toEqual([recorded('5-0')]);
  });

  test('another one adds behind it, and the first one sees that', async () => {
    const { archive, again } = await open();
    await archive.write({ after: '0-0', events: batches([recorded('5-0')]) });
    await (await again()).write({ after: '5-0', events: batches([recorded('6-0')]) });
    expect(await archive.last()).toMatchObject({ number: 2, last: '6-0' });
    expect((await gather(archive.segments())).map(({ number }) => number)).toEqual([1, 2]);
  });

  test('the same segment a second time is a conflict that says how far the archive goes', async () => {
    const { archive, again } = await open();
    await archive.write({ after: '0-0', events: batches([recorded('5-0'), recorded('6-0')]) });
    for (const one of [archive, await again()]) {
      expect(await one.write({ after: '0-0', events: batches([recorded('5-0'), recorded('6-0')]) })).toEqual({
        outcome: 'conflict',
        last: '6-0',
      });
      expect(await one.write({ after: '5-0', events: batches([recorded('6-0'), recorded('7-0')]) })).toEqual({
        outcome: 'conflict',
        last: '6-0',
      });
    }
    expect(await flat(archive.log('0-0'))).toEqual([recorded('5-0'), recorded('6-0')]);
  });

  test('of two that write the same place at once one wins and the other gets a conflict', async () => {
    const { archive, again } = await open();
    await archive.write({ after: '0-0', events: batches([recorded('5-0')]) });
    const other = await again();
    const answers = await Promise.all([
      archive.write({ after: '5-0', events: batches([recorded('6-0'), recorded('7-0')]) }),
      other.write({ after: '5-0', events: batches([recorded('6-0')]) }),
    ]);
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['conflict', 'written']);
    const [segment] = answers.flatMap((answer) => (answer.outcome === 'written' ? [answer.segment] : []));
    expect(await archive.last()).toEqual(segment);
    expect(await archive.verify(2)).toEqual(segment);
  });

  test('events that fail to come leave nothing behind, and the next try is as if they had never been', async () => {
    const { archive } = await open();
    async function* breaking(): AsyncGenerator<readonly RecordedEvent[]> {
      yield recordedRange(1, 600);
      throw new Error('the log went away');
    }
    await expect(archive.write({ after: '0-0', events: breaking() })).rejects.toThrow('the log went away');
    expect(await archive.last()).toBeUndefined();
    expect(await flat(archive.log('0-0'))).toEqual([]);
    await archive.write({ after: '0-0', events: batches(recordedRange(1, 700)) });
    expect(await flat(archive.log('0-0'))).toEqual(recordedRange(1, 700));
    expect(await archive.verify(1)).toMatchObject({ events: 700 });
  });

  test('after a write that failed other events may come to the same place', async () => {
    const { archive } = await open();
    async function* breaking(): AsyncGenerator<readonly RecordedEvent[]> {
      yield [recorded('1-0'), recorded('2-0', { id: 'lost/0' }), recorded('3-0')];
      throw new Error('the log went away');
    }
    await expect(archive.write({ after: '0-0', events: breaking() })).rejects.toThrow('the log went away');
    await archive.write({ after: '0-0', events: batches([recorded('1-0'), recorded('2-0'), recorded('4-0')]) });
    await archive.write({ after: '4-0', events: batches([recorded('5-0')]) });
    expect(await flat(archive.log('0-0'))).toEqual([recorded('1-0'), recorded('2-0'), recorded('4-0'), recorded('5-0')]);
    expect((await archive.verify(1)).events).toBe(3);
    expect((await archive.verify(2)).events).toBe(1);
  });

  test('events out of order are refused', async () => {
    const { archive } = await open();
    await expect(archive.write({ after: '0-0', events: batches([recorded('6-0'), recorded('5-0')]) })).rejects.toThrow(
      'the event append-5-0/0 at 5-0 does not come after 6-0',
    );
    await expect(archive.write({ after: '7-0', events: batches([recorded('6-0')]) })).rejects.toThrow('does not come after 7-0');
    expect(await archive.last()).toBeUndefined();
  });

  test('a segment without events is refused', async () => {
    const { archive } = await open();
    await expect(archive.write({ after: '0-0', events: batches([]) })).rejects.toThrow('at least one event');
  });

  test('an event of a megabyte is kept like any other', async () => {
    const { archive } = await open();
    const large = recorded('5-0', { data: { text: 'lorem ipsum dolor sit amet '.repeat(60_000) } });
    await archive.write({ after: '0-0', events: batches([recorded('4-0'), large, recorded('6-0')]) });
    expect(await archive.verify(1)).toMatchObject({ events: 3 });
    expect(await archive.find('5-0')).toEqual(large);
    expect((await flat(archive.log('4-0'))).map(({ position }) => position)).toEqual(['5-0', '6-0']);
  });
}
