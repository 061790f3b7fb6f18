import { expect, test } from 'vitest';
import type { StreamName } from '../../../domain/event/index.ts';
import { events, type OpenStore, observation, readAll } from '../../support/stores/index.ts';

const stream: StreamName = 'object/mogenius.com/workspaces/mogenius/shop';
const outcomes = (answers: readonly { readonly outcome: string }[]) => answers.map(({ outcome }) => outcome);

export function observing(open: OpenStore): void {
  test('a state is recorded once, by whoever is first', async () => {
    const { events: store } = await open();
    expect(await store.observe([observation(stream, 'u1', '10')])).toEqual([
      { outcome: 'recorded', version: 1, position: await store.end() },
    ]);
    expect(await store.observe([observation(stream, 'u1', '10')])).toEqual([{ outcome: 'known' }]);
    expect(await readAll(store)).toHaveLength(1);
  });

  test('an older state is dropped', async () => {
    const { events: store } = await open();
    await store.observe([observation(stream, 'u1', '10')]);
    expect(outcomes(await store.observe([observation(stream, 'u1', '9')]))).toEqual(['known']);
  });

  test('resourceVersions are numbers, also beyond what a double holds', async () => {
    const { events: store } = await open();
    await store.observe([observation(stream, 'u1', '9')]);
    const versions = ['10', '9007199254740993', '9007199254740992', '9007199254740994'];
    expect(outcomes(await store.observe(versions.map((version) => observation(stream, 'u1', version))))).toEqual([
      'recorded',
      'recorded',
      'known',
      'recorded',
    ]);
  });

  test('a resourceVersion that is no number is refused', async () => {
    const { events: store } = await open();
    await expect(store.observe([observation(stream, 'u1', 'abc')])).rejects.toThrow();
    expect(await readAll(store)).toEqual([]);
  });

  test('objects are told apart by uid: the same name made anew starts anew', async () => {
    const { events: store } = await open();
    await store.observe([observation(stream, 'u1', '10'), observation(stream, 'u1', '11', true)]);
    expect(await store.observe([observation(stream, 'u2', '5')])).toMatchObject([{ outcome: 'recorded', version: 3 }]);
  });

  test('a gone object is recorded once, whatever its resourceVersion says', async () => {
    const { events: store } = await open();
    await store.observe([observation(stream, 'u1', '10')]);
    expect(outcomes(await store.observe([observation(stream, 'u1', '10', true), observation(stream, 'u1', '12', true)]))).toEqual([
      'recorded',
      'known',
    ]);
  });

  test('what is seen of a gone object later is dropped', async () => {
    const { events: store } = await open();
    await store.observe([observation(stream, 'u1', '10', true)]);
    expect(outcomes(await store.observe([observation(stream, 'u1', '11'), observation(stream, 'u1', '99')]))).toEqual(['known', 'known']);
  });

  test('the same object twice in one call is recorded once', async () => {
    const { events: store } = await open();
    expect(
      outcomes(await store.observe([observation(stream, 'u1', '10'), observation(stream, 'u1', '10'), observation(stream, 'u1', '11')])),
    ).toEqual(['recorded', 'known', 'recorded']);
    expect((await readAll(store)).map(({ version }) => version)).toEqual([1, 2]);
  });

  test('many at once are answered each, in order', async () => {
    const { events: store } = await open();
    await store.observe([observation('object/a/100', 'u100', '1')]);
    const answers = await store.observe(Array.from({ length: 250 }, (_, i) => observation(`object/a/${i}`, `u${i}`, '1')));
    expect(answers).toHaveLength(250);
    expect(answers.flatMap(({ outcome }, i) => (outcome === 'known' ? [i] : []))).toEqual([100]);
    expect(await readAll(store)).toHaveLength(250);
  });

  test('nothing seen is nothing recorded', async () => {
    const { events: store } = await open();
    expect(await store.observe([])).toEqual([]);
  });

  test('a leader of a lower term is superseded', async () => {
    const { events: store } = await open();
    await store.observe([observation(stream, 'u1', '10')], 4);
    expect(await store.observe([observation(stream, 'u1', '11'), observation(stream, 'u2', '1')], 3)).toEqual([
      { outcome: 'superseded', term: 4 },
      { outcome: 'superseded', term: 4 },
    ]);
    expect(await readAll(store)).toHaveLength(1);
  });

  test('a term of an observation holds for appends too', async () => {
    const { events: store } = await open();
    await store.observe([observation(stream, 'u1', '10')], 4);
    expect(await store.append({ stream, events: events('a'), expected: 'any', id: 'x', term: 3 })).toEqual({
      outcome: 'superseded',
      term: 4,
    });
  });

  test('two watchers at once record each state once', async () => {
    const store = await open();
    const other = await store.again();
    const states = Array.from({ length: 40 }, (_, i) => observation(stream, 'u1', `${i + 1}`));
    const both = await Promise.all(
      [store, other].map(async ({ events: one }) => {
        const found = [];
        for (const state of states) found.push(...(await one.observe([state])));
        return found;
      }),
    );
    expect(both.flat().filter(({ outcome }) => outcome === 'recorded')).toHaveLength(40);
    expect(await readAll(store.events)).toHaveLength(40);
  });
}
