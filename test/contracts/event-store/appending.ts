import { expect, test } from 'vitest';
import type { StreamName } from '../../../domain/event/index.ts';
import { collect, events, fact, type OpenStore, readAll } from '../../support/stores/index.ts';

const stream: StreamName = 'object/v1/pods/shop/web';

export function appending(open: OpenStore): void {
  test('an append answers version and position of its last event', async () => {
    const { events: store } = await open();
    const answer = await store.append({ stream, events: events('a', 'b', 'c'), expected: 'any', id: 'x' });
    expect(answer).toEqual({ outcome: 'appended', version: 3, position: await store.end() });
  });

  test('an event is read as it was written, with its envelope', async () => {
    const { events: store } = await open();
    const event = {
      ...fact('a'),
      schema: 4,
      commandid: 'c1',
      causationid: 'e1',
      correlationid: 'r1',
      actor: { source: 'platform' as const, email: 'ada@example.com', isMcpRequest: false },
    };
    await store.append({ stream, events: [event], expected: 'any', id: 'x' });
    const [found] = await readAll(store);
    expect(found).toEqual({
      ...event,
      id: 'x/1',
      stream,
      version: 1,
      position: await store.end(),
      source: expect.stringMatching(/^\/clusters\/.+/),
    });
  });

  test('what was not given is not there when it is read', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: [fact()], expected: 'any', id: 'x' });
    const [found] = await readAll(store);
    expect(Object.keys(found ?? {}).sort()).toEqual(['data', 'id', 'position', 'schema', 'source', 'stream', 'time', 'type', 'version']);
  });

  test('ids count within the append, versions within the stream', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a', 'b'), expected: 'any', id: 'x' });
    await store.append({ stream, events: events('c'), expected: 'any', id: 'y' });
    expect((await readAll(store)).map(({ id, version }) => [id, version])).toEqual([
      ['x/1', 1],
      ['x/2', 2],
      ['y/1', 3],
    ]);
  });

  test('streams count their versions each for themselves', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a', 'b'), expected: 'any', id: 'x' });
    expect(await store.append({ stream: 'task/1', events: events('c'), expected: 'any', id: 'y' })).toMatchObject({ version: 1 });
  });

  test.each([
    ['any', 0, 'appended'],
    ['any', 2, 'appended'],
    ['none', 0, 'appended'],
    ['none', 2, 'conflict'],
    ['exists', 0, 'conflict'],
    ['exists', 2, 'appended'],
    [0, 0, 'appended'],
    [0, 2, 'conflict'],
    [2, 2, 'appended'],
    [1, 2, 'conflict'],
    [3, 2, 'conflict'],
  ] as const)('expected %s at version %i: %s', async (expected, version, outcome) => {
    const { events: store } = await open();
    if (version > 0) await store.append({ stream, events: events('a', 'b'), expected: 'any', id: 'before' });
    const answer = await store.append({ stream, events: events('c'), expected, id: 'x' });
    expect(answer.outcome).toBe(outcome);
    expect(answer).toMatchObject({ version: outcome === 'appended' ? version + 1 : version });
    expect(await readAll(store)).toHaveLength(outcome === 'appended' ? version + 1 : version);
  });

  test('the same append again gets the first answer and writes nothing', async () => {
    const { events: store } = await open();
    const first = await store.append({ stream, events: events('a', 'b'), expected: 'none', id: 'x' });
    const second = await store.append({ stream, events: events('a', 'b'), expected: 'none', id: 'x' });
    expect(second).toEqual({ ...first, outcome: 'duplicate' });
    expect(await readAll(store)).toHaveLength(2);
  });

  test('a repeat gets the first answer when the stream has moved on', async () => {
    const { events: store } = await open();
    const first = await store.append({ stream, events: events('a'), expected: 0, id: 'x' });
    await store.append({ stream, events: events('b'), expected: 1, id: 'y' });
    expect(await store.append({ stream, events: events('a'), expected: 0, id: 'x' })).toEqual({ ...first, outcome: 'duplicate' });
  });

  test('a conflict is not remembered: the same id may append when the stream is as expected', async () => {
    const { events: store } = await open();
    expect(await store.append({ stream, events: events('b'), expected: 1, id: 'x' })).toEqual({ outcome: 'conflict', version: 0 });
    await store.append({ stream, events: events('a'), expected: 0, id: 'y' });
    expect(await store.append({ stream, events: events('b'), expected: 1, id: 'x' })).toMatchObject({ outcome: 'appended', version: 2 });
  });

  test('a lower term is superseded, and nothing is written', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a'), expected: 'any', id: 'x', term: 7 });
    expect(await store.append({ stream, events: events('b'), expected: 'any', id: 'y', term: 6 })).toEqual({
      outcome: 'superseded',
      term: 7,
    });
    expect(await readAll(store)).toHaveLength(1);
  });

  test('the same term and a higher one append', async () => {
    const { events: store } = await open();
    for (const term of [7, 7, 9]) {
      expect(await store.append({ stream, events: events('a'), expected: 'any', id: `${Math.random()}`, term })).toMatchObject({
        outcome: 'appended',
      });
    }
  });

  test('an append without a term is anybody’s', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a'), expected: 'any', id: 'x', term: 7 });
    expect(await store.append({ stream, events: events('b'), expected: 'any', id: 'y' })).toMatchObject({ outcome: 'appended' });
  });

  test('the id is looked at before the term: a superseded leader learns that its append was made', async () => {
    const { events: store } = await open();
    const first = await store.append({ stream, events: events('a'), expected: 'any', id: 'x', term: 6 });
    await store.append({ stream, events: events('b'), expected: 'any', id: 'y', term: 7 });
    expect(await store.append({ stream, events: events('a'), expected: 'any', id: 'x', term: 6 })).toEqual({
      ...first,
      outcome: 'duplicate',
    });
  });

  test('the term is looked at before the version', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a'), expected: 'any', id: 'x', term: 7 });
    expect(await store.append({ stream, events: events('b'), expected: 'none', id: 'y', term: 6 })).toEqual({
      outcome: 'superseded',
      term: 7,
    });
  });

  test('a conflicting append does not raise the term', async () => {
    const { events: store } = await open();
    await store.append({ stream, events: events('a'), expected: 'any', id: 'x', term: 7 });
    await store.append({ stream, events: events('b'), expected: 'none', id: 'y', term: 9 });
    expect(await store.append({ stream, events: events('c'), expected: 'any', id: 'z', term: 8 })).toMatchObject({ outcome: 'appended' });
  });

  test('appends of one call are independent, and answered in order', async () => {
    const { events: store } = await open();
    const answers = await store.appendAll([
      { stream, events: events('a'), expected: 'none', id: 'x' },
      { stream, events: events('b'), expected: 'none', id: 'y' },
      { stream: 'task/1', events: events('c'), expected: 'none', id: 'z' },
      { stream, events: events('d'), expected: 1, id: 'w' },
    ]);
    expect(answers.map(({ outcome }) => outcome)).toEqual(['appended', 'conflict', 'appended', 'appended']);
    expect((await readAll(store)).map(({ id }) => id)).toEqual(['x/1', 'z/1', 'w/1']);
  });

  test('no appends at once are no appends', async () => {
    const { events: store } = await open();
    expect(await store.appendAll([])).toEqual([]);
  });

  test('an append without events is refused, and so is one of 101', async () => {
    const { events: store } = await open();
    await expect(store.append({ stream, events: [], expected: 'any', id: 'x' })).rejects.toThrow(RangeError);
    await expect(store.append({ stream, events: Array.from({ length: 101 }, () => fact()), expected: 'any', id: 'x' })).rejects.toThrow(
      RangeError,
    );
    expect(await readAll(store)).toEqual([]);
  });

  test('100 events are one append', async () => {
    const { events: store } = await open();
    const answer = await store.append({ stream, events: Array.from({ length: 100 }, (_, i) => fact(`${i}`)), expected: 'none', id: 'x' });
    expect(answer).toMatchObject({ outcome: 'appended', version: 100 });
    expect((await readAll(store)).map(({ data }) => data)).toEqual(Array.from({ length: 100 }, (_, i) => ({ name: `${i}` })));
  });

  test('a name that is no stream is refused', async () => {
    const { events: store } = await open();
    for (const name of ['/x', 'a/\n', 'a/\u0000', `a/${'x'.repeat(2_000)}`] as const) {
      await expect(store.append({ stream: name, events: events('a'), expected: 'any', id: 'x' }), JSON.stringify(name)).rejects.toThrow(
        TypeError,
      );
    }
  });

  test('a megabyte in one event comes back whole', async () => {
    const { events: store } = await open();
    const name = 'ä'.repeat(524_288);
    await store.append({ stream, events: [fact(name)], expected: 'any', id: 'x' });
    const [found] = await readAll(store);
    expect(found?.data).toEqual({ name });
  });

  test('text of any script, quotes and line breaks come back as they were', async () => {
    const { events: store } = await open();
    const name = 'Grüße 😀 "quoted" \\ back \u2028 \r\n {"s":"x"} \u0007';
    const odd: StreamName = 'object/v1/configmaps/shop/with "quotes" and \\ 😀';
    await store.append({ stream: odd, events: [fact(name)], expected: 'any', id: `id ${name}` });
    const [found] = await collect(store.read(odd));
    expect(found).toMatchObject({ stream: odd, id: `id ${name}/1`, data: { name } });
    expect(await store.append({ stream: odd, events: [fact(name)], expected: 'any', id: `id ${name}` })).toMatchObject({
      outcome: 'duplicate',
    });
  });

  test('numbers, null, lists and nesting keep their kind', async () => {
    const { events: store } = await open();
    const data = { n: 1.5, big: 9007199254740991, nothing: null, yes: true, list: [1, [2, { three: 3 }]], empty: {}, none: [] };
    await store.append({ stream, events: [{ ...fact(), data }], expected: 'any', id: 'x' });
    const [found] = await readAll(store);
    expect(found?.data).toEqual(data);
  });

  test('what is changed after the append is not changed in the log', async () => {
    const { events: store } = await open();
    const data = { name: 'before' };
    await store.append({ stream, events: [{ ...fact(), data }], expected: 'any', id: 'x' });
    data.name = 'after';
    const [found] = await readAll(store);
    expect(found?.data).toEqual({ name: 'before' });
  });

  test('of 50 writers who expect the same version one appends', async () => {
    const { events: store } = await open();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => store.append({ stream, events: events(`${i}`), expected: 0, id: `w${i}` })),
    );
    expect(answers.filter(({ outcome }) => outcome === 'appended')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'conflict')).toHaveLength(49);
    expect(await readAll(store)).toHaveLength(1);
  });

  test('a hundred repeats of one append at once are one append', async () => {
    const { events: store } = await open();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => store.append({ stream, events: events('a'), expected: 'any', id: 'x' })),
    );
    expect(answers.filter(({ outcome }) => outcome === 'appended')).toHaveLength(1);
    expect(new Set(answers.map((answer) => 'position' in answer && answer.position)).size).toBe(1);
  });
}
