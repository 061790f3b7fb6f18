import { describe, expect, test } from 'vitest';
import {
  acceptance,
  embeddedFile,
  embeddedMemory,
  events,
  fact,
  head,
  type OpenStore,
  observation,
  readAll,
  valkeyStore,
} from '../support/stores/index.ts';
import { noValkey } from '../support/valkey/index.ts';

/** commanded/commanded PR 10. */
function nothingIsKept(open: OpenStore): void {
  test('of an append that fails at its last event nothing is kept', async () => {
    const store = await open();
    const bad = { ...fact(), data: { n: 1n } };
    await expect(store.events.append({ stream: 'task/1', events: [fact(), bad], expected: 'any', id: 'x' })).rejects.toThrow(TypeError);
    expect(await readAll(store.events)).toEqual([]);
    expect(await store.events.append({ stream: 'task/1', events: events('a'), expected: 0, id: 'x' })).toMatchObject({
      outcome: 'appended',
      version: 1,
    });
  });

  test('of an acceptance that fails nothing is kept', async () => {
    const store = await open();
    await expect(store.commands.accept(acceptance('c1', { event: { ...fact(), data: { n: 1n } } }))).rejects.toThrow(TypeError);
    expect(await readAll(store.events)).toEqual([]);
    expect(await store.commands.depth()).toEqual({ waiting: 0, claimed: 0, parked: 0 });
    expect(await store.commands.accept(acceptance('c1'))).toMatchObject({ outcome: 'accepted' });
  });

  test('of an outcome that fails at an observation nothing is kept, and it can be given again', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    const bad = observation('object/a/b', 'u1', 'not a number');
    await expect(store.commands.finish({ claim, event: fact('done'), observations: [bad] })).rejects.toThrow(TypeError);
    expect(await readAll(store.events)).toHaveLength(1);
    expect(await store.commands.depth()).toEqual({ waiting: 0, claimed: 1, parked: 0 });
    expect(await store.commands.finish({ claim, event: fact('done') })).toMatchObject({ outcome: 'finished' });
  });
}

describe('in memory', () => nothingIsKept(embeddedMemory()));
describe('in a file', () => nothingIsKept(embeddedFile()));
describe.skipIf(noValkey)('over Valkey', () => nothingIsKept(valkeyStore()));
