import { expect, test } from 'vitest';
import { acceptance, fact, head, type OpenStore, readAll, type StoreUnderTest } from '../../support/stores/index.ts';

const all = { owner: 'b', lease: 60_000, limit: 100 };
const page = { offset: 0, limit: 10 };

async function parked(store: StoreUnderTest, command: string, aggregate = 'workspace/shop'): Promise<void> {
  const claim = await head(store, command, { aggregate });
  await store.commands.park(claim, { ...fact(command, 'CommandParked'), data: { reason: 'too many attempts' } }, 'too many attempts');
}

export function parking(open: OpenStore): void {
  test('a parked command leaves its queue and frees the next', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.accept(acceptance('c2'));
    expect(await store.commands.park(claim, fact('parked', 'CommandParked'), 'too many attempts')).toBe('parked');
    expect(await store.commands.depth()).toEqual({ waiting: 1, claimed: 0, parked: 1 });
    expect(await store.commands.claim(all)).toMatchObject([{ command: 'c2' }]);
    expect((await readAll(store.events)).at(-1)).toMatchObject({ stream: 'command/c1', type: 'CommandParked', version: 2 });
  });

  test('is listed with what a person must know', async () => {
    const store = await open();
    const before = await store.now();
    await parked(store, 'c1');
    const { items, total } = await store.commands.parked(page);
    expect(total).toBe(1);
    expect(items).toEqual([
      {
        command: 'c1',
        aggregate: 'workspace/shop',
        pattern: 'create/workspace',
        reason: 'too many attempts',
        attempts: 1,
        since: items[0]?.since,
      },
    ]);
    expect(items[0]?.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(items[0]?.since ?? '')).toBeGreaterThanOrEqual(before);
  });

  test('newest first, in pages', async () => {
    const store = await open();
    for (const command of ['c1', 'c2', 'c3']) {
      await parked(store, command);
      await store.passes(2);
    }
    const names = async (offset: number, limit: number) =>
      (await store.commands.parked({ offset, limit })).items.map(({ command }) => command);
    expect(await names(0, 2)).toEqual(['c3', 'c2']);
    expect(await names(2, 2)).toEqual(['c1']);
    expect(await names(9, 2)).toEqual([]);
    expect(await store.commands.parked({ offset: 0, limit: 0 })).toEqual({ items: [], total: 3 });
  });

  test('parking again with the same claim is the same parking', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.park(claim, fact('parked'), 'reason');
    expect(await store.commands.park(claim, fact('parked'), 'reason')).toBe('parked');
    expect(await readAll(store.events)).toHaveLength(2);
  });

  test('whoever parked it can’t finish it', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.park(claim, fact('parked'), 'reason');
    expect(await store.commands.finish({ claim, event: fact('done') })).toEqual({ outcome: 'lost' });
    expect(await store.commands.renew(claim, 1)).toBe('lost');
  });

  test('a retried command goes to the end of its queue, with its attempts forgotten', async () => {
    const store = await open();
    await parked(store, 'c1');
    await store.commands.accept(acceptance('c2'));
    expect(await store.commands.retry('c1', fact('again', 'CommandRetried'))).toBe('queued');
    expect(await store.commands.parked(page)).toEqual({ items: [], total: 0 });
    const [c2] = await store.commands.claim(all);
    expect(c2?.command).toBe('c2');
    if (c2) await store.commands.finish({ claim: c2, event: fact('done') });
    expect(await store.commands.claim(all)).toMatchObject([{ command: 'c1', attempt: 1 }]);
    expect((await readAll(store.events)).filter(({ type }) => type === 'CommandRetried')).toHaveLength(1);
  });

  test('a retried command can be claimed at once when its queue was empty', async () => {
    const store = await open();
    await parked(store, 'c1');
    await store.commands.retry('c1', fact('again'));
    expect(await store.commands.nextClaimable()).toBe(0);
    const [claim] = await store.commands.claim(all);
    expect(claim?.command).toBe('c1');
    if (claim) expect(await store.commands.finish({ claim, event: fact('done') })).toMatchObject({ outcome: 'finished' });
  });

  test('a retry sent twice queues once', async () => {
    const store = await open();
    await parked(store, 'c1');
    expect(await store.commands.retry('c1', fact('again'))).toBe('queued');
    expect(await store.commands.retry('c1', fact('again'))).toBe('queued');
    expect(await store.commands.depth()).toEqual({ waiting: 1, claimed: 0, parked: 0 });
    expect(await readAll(store.events)).toHaveLength(3);
  });

  test('steps of before are there after a retry', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.step(claim, 1, fact('made'));
    await store.commands.park(claim, fact('parked'), 'reason');
    await store.commands.retry('c1', fact('again'));
    const [again] = await store.commands.claim(all);
    expect(again?.steps).toMatchObject([{ data: { name: 'made' } }]);
  });

  test('a command may be parked again after a retry', async () => {
    const store = await open();
    await parked(store, 'c1');
    await store.commands.retry('c1', fact('again'));
    const [claim] = await store.commands.claim(all);
    if (claim) expect(await store.commands.park(claim, fact('parked'), 'second reason')).toBe('parked');
    expect((await store.commands.parked(page)).items).toMatchObject([{ command: 'c1', reason: 'second reason' }]);
  });

  test('its sealed request is kept beyond the deadline', async () => {
    const store = await open({ grace: 30 });
    const sealed = new Uint8Array(Buffer.from('secret'));
    const claim = await head(store, 'c1', { sealed, deadline: await store.now() });
    expect(await store.commands.park(claim, fact('parked'), 'reason')).toBe('parked');
    await store.passes(40);
    await store.commands.retry('c1', fact('again'));
    const [again] = await store.commands.claim(all);
    expect(Buffer.from(again?.sealed ?? []).toString()).toBe('secret');
  });

  test('a discarded command ends with the given outcome', async () => {
    const store = await open();
    await parked(store, 'c1');
    expect(await store.commands.discard('c1', fact('discarded', 'CommandFailed'))).toBe('discarded');
    expect(await store.commands.depth()).toEqual({ waiting: 0, claimed: 0, parked: 0 });
    expect(await store.commands.accept(acceptance('c1'))).toMatchObject({
      outcome: 'finished',
      event: { type: 'CommandFailed', id: 'c1/outcome/1' },
    });
    expect(await store.commands.mark()).toBe(await store.events.end());
  });

  test('discarding twice is discarding once', async () => {
    const store = await open();
    await parked(store, 'c1');
    await store.commands.discard('c1', fact('discarded'));
    expect(await store.commands.discard('c1', fact('discarded'))).toBe('discarded');
    expect(await readAll(store.events)).toHaveLength(3);
  });

  test('what is not parked is unknown', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    for (const command of ['c1', 'nobody']) {
      expect(await store.commands.retry(command, fact('again'))).toBe('unknown');
      expect(await store.commands.discard(command, fact('discarded'))).toBe('unknown');
    }
    await store.commands.finish({ claim, event: fact('done') });
    expect(await store.commands.retry('c1', fact('again'))).toBe('unknown');
    expect(await store.commands.discard('c1', fact('discarded'))).toBe('unknown');
    expect(await readAll(store.events)).toHaveLength(2);
  });

  test('parked commands count in the bound of all', async () => {
    const store = await open({ inAll: 1 });
    await parked(store, 'c1');
    expect(await store.commands.accept(acceptance('c2'))).toEqual({ outcome: 'full' });
  });

  test('queues made anew are as they were, with free heads', async () => {
    const store = await open();
    await parked(store, 'p1');
    const claim = await head(store, 'c1');
    await store.commands.step(claim, 1, fact('made'));
    for (const command of ['c2', 'c3']) await store.commands.accept(acceptance(command));
    await store.commands.accept(acceptance('d1', { aggregate: 'workspace/other' }));
    expect(await store.commands.rebuild()).toBe(5);
    expect(await store.commands.accept(acceptance('c3'))).toMatchObject({ outcome: 'open' });
    expect(await store.commands.accept(acceptance('c3', { digest: 'another' }))).toEqual({ outcome: 'mismatch' });
    expect((await store.commands.parked(page)).items).toMatchObject([
      { command: 'p1', reason: 'too many attempts', pattern: 'create/workspace' },
    ]);
    const order: string[] = [];
    await store.passes(1);
    for (let i = 0; i < 4; i++) {
      for (const one of await store.commands.claim({ ...all, limit: 1 })) {
        order.push(one.command);
        await store.commands.finish({ claim: one, event: fact('done') });
      }
    }
    expect(order.filter((name) => name !== 'd1')).toEqual(['c1', 'c2', 'c3']);
    expect(order).toContain('d1');
  });

  test('who held a claim when queues were made anew has lost it', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.rebuild();
    expect(await store.commands.finish({ claim, event: fact('done') })).toEqual({ outcome: 'lost' });
    const [next] = await store.commands.claim(all);
    expect(next?.fence).toBeGreaterThan(claim.fence);
  });

  test('an empty log gives empty queues', async () => {
    const store = await open();
    expect(await store.commands.rebuild()).toBe(0);
    expect(await store.commands.depth()).toEqual({ waiting: 0, claimed: 0, parked: 0 });
  });
}
