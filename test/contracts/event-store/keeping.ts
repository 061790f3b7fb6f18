import { expect, test } from 'vitest';
import { origin, type Position, type StreamName } from '../../../domain/event/index.ts';
import { collect, events, fact, head, type OpenStore, observation, readAll, type StoreUnderTest } from '../../support/stores/index.ts';

const stream: StreamName = 'object/v1/pods/shop/web';
const far: Position = '99999999999999-0';

async function five(open: OpenStore): Promise<{ readonly store: StoreUnderTest; readonly positions: readonly Position[] }> {
  const store = await open();
  await store.events.append({ stream, events: events('a', 'b', 'c', 'd', 'e'), expected: 'any', id: 'x' });
  return { store, positions: (await readAll(store.events)).map(({ position }) => position) };
}

export function keeping(open: OpenStore): void {
  test('nothing is trimmed that is not archived', async () => {
    const { store, positions } = await five(open);
    expect(await store.keeper.trim(far)).toEqual({ removed: 0, first: positions[0], stoppedBy: 'not archived' });
  });

  test('trims up to the archived mark and says that it stopped there', async () => {
    const { store, positions } = await five(open);
    await store.keeper.markArchived(positions[2] ?? origin);
    expect(await store.keeper.trim(far)).toEqual({ removed: 3, first: positions[3], stoppedBy: 'not archived' });
    expect(await store.events.extent()).toEqual({ first: positions[3], last: positions[4], events: 2 });
  });

  test('trims no further than asked', async () => {
    const { store, positions } = await five(open);
    await store.keeper.markArchived(positions[4] ?? origin);
    expect(await store.keeper.trim(positions[1] ?? origin)).toEqual({ removed: 2, first: positions[2] });
  });

  test('trimming again does nothing', async () => {
    const { store, positions } = await five(open);
    await store.keeper.markArchived(positions[4] ?? origin);
    await store.keeper.trim(positions[1] ?? origin);
    expect(await store.keeper.trim(positions[1] ?? origin)).toEqual({ removed: 0, first: positions[2] });
  });

  test('the archived mark moves only forward', async () => {
    const { store, positions } = await five(open);
    expect(await store.keeper.archived()).toBe('0-0');
    await store.keeper.markArchived(positions[3] ?? origin);
    await store.keeper.markArchived(positions[1] ?? origin);
    expect(await store.keeper.archived()).toBe(positions[3]);
  });

  test('positions are compared by number: 10 is after 9', async () => {
    const { keeper } = await open();
    await keeper.markArchived('9-10');
    await keeper.markArchived('10-9');
    await keeper.markArchived('10-10');
    await keeper.markArchived('9-99');
    expect(await keeper.archived()).toBe('10-10');
  });

  test('an open command stops the trim before its acceptance', async () => {
    const { store } = await five(open);
    const claim = await head(store, 'c1');
    await store.events.append({ stream, events: events('f'), expected: 'any', id: 'y' });
    await store.keeper.markArchived(await store.events.end());
    expect(await store.keeper.oldestOpenCommand()).toBe(claim.accepted.position);
    expect(await store.keeper.trim(far)).toEqual({ removed: 5, first: claim.accepted.position, stoppedBy: 'open command' });
    await store.commands.finish({ claim, event: fact('done') });
    expect(await store.keeper.oldestOpenCommand()).toBeUndefined();
  });

  test('the oldest open command is the one that was accepted first, not the one that was claimed first', async () => {
    const store = await open();
    const first = await head(store, 'zz', { aggregate: 'a/1' });
    await head(store, 'aa', { aggregate: 'a/2' });
    expect(await store.keeper.oldestOpenCommand()).toBe(first.accepted.position);
  });

  test('a parked command counts as open', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.park(claim, fact('parked'), 'gave up');
    expect(await store.keeper.oldestOpenCommand()).toBe(claim.accepted.position);
  });

  test('a stream counts on after its events were trimmed', async () => {
    const { store } = await five(open);
    await store.keeper.markArchived(await store.events.end());
    await store.keeper.trim(far);
    expect(await store.events.append({ stream, events: events('f'), expected: 5, id: 'y' })).toMatchObject({
      outcome: 'appended',
      version: 6,
    });
    expect((await collect(store.events.read(stream, 5))).map(({ version }) => version)).toEqual([6]);
  });

  test('an id is remembered longer than its event', async () => {
    const { store } = await five(open);
    await store.keeper.markArchived(await store.events.end());
    await store.keeper.trim(far);
    expect(await store.events.append({ stream, events: events('a'), expected: 'any', id: 'x' })).toMatchObject({
      outcome: 'duplicate',
      version: 5,
    });
  });

  test('an object is known longer than its events', async () => {
    const store = await open();
    await store.events.observe([observation(stream, 'u1', '10')]);
    await store.keeper.markArchived(await store.events.end());
    await store.keeper.trim(far);
    expect(await store.events.observe([observation(stream, 'u1', '10')])).toEqual([{ outcome: 'known' }]);
  });

  test('the end stays where it was when all was trimmed', async () => {
    const { store, positions } = await five(open);
    await store.keeper.markArchived(positions[4] ?? origin);
    expect(await store.keeper.trim(far)).toEqual({ removed: 5, first: '0-0' });
    expect(await store.events.end()).toBe(positions[4]);
    expect(await readAll(store.events, positions[4])).toEqual([]);
  });

  test('a log of a thousand events is trimmed whole', async () => {
    const store = await open();
    for (let i = 0; i < 10; i++) {
      await store.events.append({ stream: `task/${i}`, events: Array.from({ length: 100 }, () => fact()), expected: 'any', id: `${i}` });
    }
    await store.keeper.markArchived(await store.events.end());
    expect(await store.keeper.trim(far)).toMatchObject({ removed: 1_000 });
    expect(await store.events.extent()).toEqual({ first: '0-0', last: '0-0', events: 0 });
  });

  test('the size is counted in bytes', async () => {
    const { store } = await five(open);
    const { bytes, usedMemory } = await store.keeper.size();
    expect(bytes).toBeGreaterThan(200);
    expect(usedMemory).toBeGreaterThan(bytes);
  });
}
