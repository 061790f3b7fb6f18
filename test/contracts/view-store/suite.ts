import { expect, test } from 'vitest';
import type { Position } from '../../../domain/event/index.ts';
import { origin } from '../../../domain/event/index.ts';
import type { ViewId, ViewStore, ViewWrite } from '../../../domain/ports/index.ts';

export interface ViewStoreUnderTest {
  readonly views: ViewStore;
  /** Writes something that is no position in place of a checkpoint; undefined where nobody can. */
  readonly corrupt?: (view: ViewId, text: string) => Promise<void>;
}

export type OpenViews = () => Promise<ViewStoreUnderTest>;

export const put = (key: string, part: string, value: string): ViewWrite => ({ op: 'put', key, part, value });
export const place = (key: string, indexes: Readonly<Record<string, number>>): ViewWrite => ({ op: 'place', key, indexes });

/** Applies the writes behind the checkpoint that the build has. */
export async function write(views: ViewStore, view: ViewId, from: Position, to: Position, writes: readonly ViewWrite[]): Promise<void> {
  expect(await views.apply([{ view, from, to, writes }])).toEqual([{ outcome: 'applied' }]);
}

export async function dumpOf(views: ViewStore, view: ViewId): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of views.dump(view)) lines.push(line);
  return lines;
}

export const newest = { order: 'descending', offset: 0, limit: 10 } as const;

export function describeRows(open: OpenViews): void {
  test('a row has the parts that were put, whenever they were', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    await write(views, view, origin, '1-0', [put('a', 'one', '1'), put('b', 'one', '2')]);
    await write(views, view, '1-0', '2-0', [put('a', 'two', '3'), put('a', 'one', '4')]);
    expect(await views.rows(view, ['a', 'b', 'none'])).toEqual([{ one: '4', two: '3' }, { one: '2' }, undefined]);
    expect(await views.rows(view, ['a', 'b'], ['two'])).toEqual([{ two: '3' }, {}]);
    expect(await views.rows(view, [])).toEqual([]);
  });

  test('keys may hold anything: zeros, line ends, letters of every script', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    const keys = ['a\0b', '\u0001\u0002', 'zeile\n', 'äöü€😀', ' ', '?', 'constructor', '__proto__'];
    await write(
      views,
      view,
      origin,
      '1-0',
      keys.flatMap((key, i) => [put(key, 'p', String(i)), place(key, { all: i })]),
    );
    expect((await views.rows(view, keys)).map((row) => row?.p)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    expect((await views.page(view, { index: 'all', order: 'ascending', offset: 0, limit: 10 })).keys).toEqual(keys);
  });

  test('what asks for a row that is there is left out when it is not', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    await write(views, view, origin, '1-0', [
      { op: 'put', key: 'a', part: 'late', value: '1', existing: true },
      { op: 'place', key: 'a', indexes: { all: 1 }, existing: true },
      put('b', 'p', '1'),
      { op: 'put', key: 'b', part: 'late', value: '2', existing: true },
      { op: 'put', key: 'c', part: 'late', value: '3', existing: true },
      put('c', 'p', '4'),
    ]);
    expect(await views.rows(view, ['a', 'b', 'c'])).toEqual([undefined, { p: '1', late: '2' }, { p: '4' }]);
    expect((await views.page(view, { ...newest, index: 'all' })).total).toBe(0);
  });

  test('a part that is put once keeps its first value', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    const once = (value: string): ViewWrite => ({ op: 'put', key: 'a', part: 'p', value, once: true });
    await write(views, view, origin, '1-0', [once('1'), once('2')]);
    await write(views, view, '1-0', '2-0', [once('3')]);
    expect(await views.rows(view, ['a'])).toEqual([{ p: '1' }]);
    await write(views, view, '2-0', '3-0', [put('a', 'p', '4'), once('5')]);
    expect(await views.rows(view, ['a'])).toEqual([{ p: '4' }]);
  });

  test('a row takes 200 parts, and says that there was more', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    await write(
      views,
      view,
      origin,
      '1-0',
      Array.from({ length: 150 }, (_, i) => put('a', `p${i}`, '1')),
    );
    await write(
      views,
      view,
      '1-0',
      '2-0',
      Array.from({ length: 150 }, (_, i) => put('a', `q${i}`, '1')),
    );
    await write(views, view, '2-0', '3-0', [put('a', 'p3', '2'), put('a', 'r', '1')]);
    const [row] = await views.rows(view, ['a']);
    expect(Object.keys(row ?? {})).toHaveLength(201);
    expect(row).toMatchObject({ p0: '1', p149: '1', q49: '1', p3: '2', more: '1' });
    expect(row).not.toHaveProperty('q50');
  });

  test('a row that is removed leaves nothing behind, and may come back', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    await write(views, view, origin, '1-0', [put('a', 'p', '1'), put('a', 'q', '1'), place('a', { all: 1, 'phase:x': 2 })]);
    await write(views, view, '1-0', '2-0', [
      { op: 'remove', key: 'a' },
      { op: 'remove', key: 'none' },
    ]);
    expect(await dumpOf(views, view)).toEqual([]);
    await write(views, view, '2-0', '3-0', [put('a', 'r', '1'), { op: 'remove', key: 'a' }, put('a', 's', '2'), place('a', { all: 3 })]);
    expect(await dumpOf(views, view)).toEqual(['row "a" [["s","2"]]', 'index "all" 3 "a"']);
  });
}

export function describeIndexes(open: OpenViews): void {
  test('a page has its keys in the order of scores, then of keys, and the total of all', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    await write(
      views,
      view,
      origin,
      '1-0',
      ['d', 'a', 'c', 'b', 'e'].map((key) => place(key, { all: key === 'e' ? 9.0625 : 5 })),
    );
    expect(await views.page(view, { index: 'all', order: 'ascending', offset: 1, limit: 3 })).toEqual({ keys: ['b', 'c', 'd'], total: 5 });
    expect(await views.page(view, { index: 'all', order: 'descending', offset: 0, limit: 2 })).toEqual({ keys: ['e', 'd'], total: 5 });
    expect(await views.page(view, { index: 'all', order: 'descending', offset: 7, limit: 2 })).toEqual({ keys: [], total: 5 });
    expect(await views.page(view, { index: 'all', order: 'ascending', offset: 0, limit: 9, min: 6 })).toEqual({ keys: ['e'], total: 1 });
    expect(await views.page(view, { index: 'all', order: 'descending', offset: 1, limit: 2, max: 5 })).toEqual({
      keys: ['c', 'b'],
      total: 4,
    });
    expect(await views.page(view, { index: 'none', order: 'ascending', offset: 0, limit: 9 })).toEqual({ keys: [], total: 0 });
  });

  test('several indexes are read as one', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    await write(views, view, origin, '1-0', [
      place('a', { 'ns:x': 1 }),
      place('b', { 'ns:y': 2 }),
      place('c', { 'ns:x': 3 }),
      place('d', { 'ns:z': 4 }),
      place('e', { 'ns:y': 3 }),
    ]);
    const page = { index: ['ns:x', 'ns:y'], order: 'descending', offset: 1, limit: 2 } as const;
    expect(await views.page(view, page)).toEqual({ keys: ['c', 'b'], total: 4 });
    expect(await views.page(view, { ...page, index: [] })).toEqual({ keys: [], total: 0 });
  });

  test('a row is filed once in each family', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    await write(views, view, origin, '1-0', [place('a', { all: 1, 'phase:open': 1 })]);
    await write(views, view, '1-0', '2-0', [place('a', { 'phase:done': 5 })]);
    expect(await dumpOf(views, view)).toEqual(['row "a" []', 'index "all" 1 "a"', 'index "phase:done" 5 "a"']);
    await write(views, view, '2-0', '3-0', [place('a', { all: 7 })]);
    expect(await dumpOf(views, view)).toEqual(['row "a" []', 'index "all" 7 "a"', 'index "phase:done" 5 "a"']);
  });

  test('a row that moves may keep its score', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    const same = (key: string, index: string): ViewWrite => ({ op: 'place', key, indexes: { [index]: 'same' }, existing: true });
    await write(views, view, origin, '1-0', [place('a', { all: 3, 'ns:x': 4 }), place('b', { all: 5 }), put('c', 'p', '1')]);
    await write(views, view, '1-0', '2-0', [same('a', 'ns:y'), same('b', 'ns:z'), same('c', 'ns:z'), same('none', 'ns:z')]);
    await write(views, view, '2-0', '3-0', [
      place('d', { all: 6 }),
      same('d', 'ns:z'),
      place('a', { all: 9 }),
      same('a', 'other'),
      same('b', 'ns:z'),
    ]);
    expect((await dumpOf(views, view)).filter((line) => line.startsWith('index'))).toEqual([
      'index "all" 5 "b"',
      'index "all" 6 "d"',
      'index "all" 9 "a"',
      'index "ns:y" 4 "a"',
      'index "ns:z" 5 "b"',
      'index "ns:z" 6 "d"',
      'index "other" 9 "a"',
    ]);
  });

  test('a cap keeps the highest and removes the others from everywhere', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    const rows = [1, 2, 3, 4, 5].flatMap((n) => [put(`k${n}`, 'p', '1'), place(`k${n}`, { all: n, 'bucket:b': n })]);
    await write(views, view, origin, '1-0', [{ op: 'cap', index: 'bucket:b', keep: 2 }, ...rows, { op: 'cap', index: 'none', keep: 2 }]);
    expect(await dumpOf(views, view)).toEqual([
      'row "k4" [["p","1"]]',
      'row "k5" [["p","1"]]',
      'index "all" 4 "k4"',
      'index "all" 5 "k5"',
      'index "bucket:b" 4 "k4"',
      'index "bucket:b" 5 "k5"',
    ]);
    await write(views, view, '1-0', '2-0', [{ op: 'cap', index: 'all', keep: 0 }]);
    expect(await dumpOf(views, view)).toEqual([]);
  });

  test('what is too old expires, the oldest first and not more than so many at once', async () => {
    const { views } = await open();
    const view = await views.begin('v', 1);
    const left = async () => (await views.page(view, { index: 'all', order: 'ascending', offset: 0, limit: 9 })).keys;
    await write(
      views,
      view,
      origin,
      '1-0',
      [1, 2, 3, 4, 5].map((n) => place(`k${n}`, { all: n })),
    );
    await write(views, view, '1-0', '2-0', [
      { op: 'expire', index: 'all', below: 5, limit: 1 },
      { op: 'expire', index: 'all', below: 5, limit: 1 },
    ]);
    expect(await left()).toEqual(['k3', 'k4', 'k5']);
    await write(views, view, '2-0', '3-0', [{ op: 'expire', index: 'all', below: 4, limit: 10 }]);
    expect(await left()).toEqual(['k4', 'k5']);
  });
}
