import { expect, test } from 'vitest';
import { origin } from '../../../domain/event/index.ts';
import { dumpOf, type OpenViews, put, write } from './suite.ts';

export function describeBuilds(open: OpenViews): void {
  test('a batch is applied once: whoever starts elsewhere is told where the build is, and writes nothing', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    const batch = { view, from: origin, to: '5-1', writes: [put('a', 'p', '1')] } as const;
    expect(await views.apply([batch])).toEqual([{ outcome: 'applied' }]);
    expect(await views.apply([{ ...batch, writes: [put('a', 'p', '2')] }])).toEqual([{ outcome: 'elsewhere', checkpoint: '5-1' }]);
    expect(await views.rows(view, ['a'])).toEqual([{ p: '1' }]);
  });

  test('batches of one call stand on their own, one behind the other too', async () => {
    const { views } = await open();
    const [a, b] = [await views.begin('a', 1), await views.begin('b', 1)];
    expect(
      await views.apply([
        { view: a, from: origin, to: '1-0', writes: [put('k', 'p', '1')] },
        { view: b, from: '7-0', to: '8-0', writes: [put('k', 'p', '2'), { op: 'cap', index: 'x', keep: 1 }] },
        { view: a, from: '1-0', to: '2-0', writes: [put('k', 'q', '3')] },
      ]),
    ).toEqual([{ outcome: 'applied' }, { outcome: 'elsewhere', checkpoint: '0-0' }, { outcome: 'applied' }]);
    expect(await views.rows(a, ['k'])).toEqual([{ p: '1', q: '3' }]);
    expect(await views.rows(b, ['k'])).toEqual([undefined]);
    expect(await views.apply([])).toEqual([]);
  });

  test('nothing is live before it was made so; each build has a generation of its own', async () => {
    const { views } = await open();
    expect(await views.live('v')).toBeUndefined();
    expect(await views.builds('v')).toEqual([]);
    const first = await views.begin('v', 1);
    const second = await views.begin('v', 2);
    expect([first.generation, second.generation]).toEqual([1, 2]);
    expect(await views.live('v')).toBeUndefined();
    expect(await views.makeLive(second, undefined)).toBe('live');
    expect(await views.live('v')).toEqual(second);
    expect(await views.builds('v')).toEqual([
      { view: second, checkpoint: '0-0', live: true },
      { view: first, checkpoint: '0-0', live: false },
    ]);
    expect(await views.makeLive(second, undefined)).toBe('live');
  });

  test('a switch happens only from the build that was expected, and never back in time', async () => {
    const { views } = await open();
    const first = await views.begin('v', 1);
    await write(views, first, origin, '9-0', [put('a', 'p', 'old')]);
    await views.makeLive(first, undefined);
    const second = await views.begin('v', 1);
    const third = await views.begin('v', 1);
    expect(await views.makeLive(second, undefined)).toBe('elsewhere');
    expect(await views.makeLive(second, first)).toBe('behind');
    await write(views, second, origin, '10-0', [put('a', 'p', 'new')]);
    expect(await views.makeLive(second, first)).toBe('live');
    await write(views, third, origin, '11-0', []);
    expect(await views.makeLive(third, first)).toBe('elsewhere');
    expect(await views.live('v')).toEqual(second);
  });

  test('the former build stays readable and takes no more writes', async () => {
    const { views } = await open();
    const first = await views.begin('v', 1);
    await write(views, first, origin, '1-0', [put('a', 'p', 'old')]);
    await views.makeLive(first, undefined);
    const second = await views.begin('v', 1);
    await write(views, second, origin, '1-0', [put('a', 'p', 'new')]);
    await views.makeLive(second, first);
    expect(await views.rows(first, ['a'])).toEqual([{ p: 'old' }]);
    expect(await views.apply([{ view: first, from: '1-0', to: '2-0', writes: [] }])).toEqual([{ outcome: 'gone' }]);
    expect(await views.makeLive(first, second)).toBe('gone');
  });

  test('a build that was dropped is gone wholly, the live one too', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    // So many that the hash is one of buckets, which a scan from the start finds empty once they were emptied.
    const some = (first: number) =>
      Array.from({ length: 2_000 }, (_, i) => [
        put(`k${first + i}`, 'p', '1'),
        { op: 'place', key: `k${first + i}`, indexes: { all: i } } as const,
      ]);
    await write(views, view, origin, '1-0', some(0).flat());
    for (let n = 1; n < 10; n++) await write(views, view, `${n}-0`, `${n + 1}-0`, some(n * 2_000).flat());
    await views.makeLive(view, undefined);
    await views.drop(view);
    await views.drop(view);
    expect(await views.live('v')).toBeUndefined();
    expect(await views.builds('v')).toEqual([]);
    expect(await dumpOf(views, view)).toEqual([]);
    expect(await views.apply([{ view, from: '10-0', to: '11-0', writes: [] }])).toEqual([{ outcome: 'gone' }]);
    expect(await views.makeLive(view, undefined)).toBe('gone');
    expect((await views.begin('v', 1)).generation).toBe(2);
  });

  test('views of other names know nothing of each other', async () => {
    const { views } = await open();
    const [a, b] = [await views.begin('v', 1), await views.begin('v~verify', 1)];
    await write(views, a, origin, '1-0', [put('k', 'p', 'a')]);
    expect(await dumpOf(views, b)).toEqual([]);
    await views.drop(b);
    expect(await dumpOf(views, a)).toEqual(['row "k" [["p","a"]]']);
  });

  test('a dump is the same for the same content, however it came there', async () => {
    const { views } = await open();
    const [a, b] = [await views.begin('v', 1), await views.begin('v', 1)];
    const rows = Array.from({ length: 500 }, (_, i) => [
      put(`k${i}`, 'p', `${i}`),
      put(`k${i}`, 'q', '1'),
      { op: 'place', key: `k${i}`, indexes: { all: i % 7 } } as const,
    ]);
    await write(views, a, origin, '1-0', rows.flat());
    await write(views, b, origin, '0-5', rows.slice(250).flat());
    await write(views, b, '0-5', '1-0', rows.slice(0, 250).flat());
    const dump = await dumpOf(views, a);
    expect(dump).toHaveLength(1_000);
    expect(dump.slice(0, 2)).toEqual(['row "k0" [["p","0"],["q","1"]]', 'row "k1" [["p","1"],["q","1"]]']);
    expect(await dumpOf(views, b)).toEqual(dump);
  });
}
