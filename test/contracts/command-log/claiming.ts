import { expect, test } from 'vitest';
import { acceptance, fact, head, type OpenStore, readAll } from '../../support/stores/index.ts';

const all = { owner: 'b', lease: 60_000, limit: 100 };

export function claiming(open: OpenStore): void {
  test('nothing waits: nothing is claimed', async () => {
    const { commands } = await open();
    expect(await commands.claim(all)).toEqual([]);
    expect(await commands.nextClaimable()).toBeUndefined();
    expect(await commands.depth()).toEqual({ waiting: 0, claimed: 0, parked: 0 });
  });

  test('of each queue only the head is claimed', async () => {
    const { commands } = await open();
    for (const command of ['c1', 'c2', 'c3']) await commands.accept(acceptance(command));
    await commands.accept(acceptance('d1', { aggregate: 'workspace/other' }));
    expect((await commands.claim(all)).map(({ command }) => command)).toEqual(['c1', 'd1']);
    expect(await commands.claim(all)).toEqual([]);
  });

  test('longest waiting first, and no more than asked for', async () => {
    const store = await open();
    for (let i = 0; i < 5; i++) {
      await store.commands.accept(acceptance(`c${i}`, { aggregate: `a/${9 - i}` }));
      await store.passes(2);
    }
    expect((await store.commands.claim({ ...all, limit: 2 })).map(({ command }) => command)).toEqual(['c0', 'c1']);
    expect((await store.commands.claim({ ...all, limit: 2 })).map(({ command }) => command)).toEqual(['c2', 'c3']);
    expect((await store.commands.claim({ ...all, limit: 2 })).map(({ command }) => command)).toEqual(['c4']);
  });

  test('a claim carries what was accepted', async () => {
    const { commands, events } = await open();
    await commands.accept(acceptance('c1'));
    const [claim] = await commands.claim(all);
    const [accepted] = await readAll(events);
    expect(claim).toEqual({ command: 'c1', aggregate: 'workspace/shop', fence: claim?.fence, attempt: 1, accepted, steps: [] });
  });

  test('what is claimed is not claimed again while its lease runs', async () => {
    const store = await open();
    await head(store, 'c1');
    expect(await store.commands.claim(all)).toEqual([]);
    const next = await store.commands.nextClaimable();
    expect(next).toBeGreaterThan(50_000);
    expect(next).toBeLessThanOrEqual(60_001);
  });

  test('when the lease ran out another takes over, with a higher fence and attempt', async () => {
    const store = await open();
    const first = await head(store, 'c1', { claim: { owner: 'a', lease: 2 } });
    await store.passes(4);
    const [second] = await store.commands.claim(all);
    expect(second).toMatchObject({ command: 'c1', attempt: 2 });
    expect(second?.fence).toBeGreaterThan(first.fence);
  });

  test('an expired claim is counted as waiting', async () => {
    const store = await open();
    await head(store, 'c1', { claim: { owner: 'a', lease: 2 } });
    await store.passes(4);
    expect(await store.commands.depth()).toEqual({ waiting: 1, claimed: 0, parked: 0 });
    expect(await store.commands.nextClaimable()).toBe(0);
  });

  test('a renewed lease runs on', async () => {
    const store = await open();
    const claim = await head(store, 'c1', { claim: { owner: 'a', lease: 50 } });
    expect(await store.commands.renew(claim, 60_000)).toBe('renewed');
    await store.passes(60);
    expect(await store.commands.claim(all)).toEqual([]);
    expect(await store.commands.depth()).toEqual({ waiting: 0, claimed: 1, parked: 0 });
  });

  test('an expired lease that nobody took can be renewed', async () => {
    const store = await open();
    const claim = await head(store, 'c1', { claim: { owner: 'a', lease: 2 } });
    await store.passes(4);
    expect(await store.commands.renew(claim, 60_000)).toBe('renewed');
    expect(await store.commands.claim(all)).toEqual([]);
  });

  test('the former holder is told at every call that it lost', async () => {
    const store = await open();
    const old = await head(store, 'c1', { claim: { owner: 'a', lease: 2 } });
    await store.passes(4);
    await store.commands.claim(all);
    expect(await store.commands.renew(old, 60_000)).toBe('lost');
    expect(await store.commands.release(old, 0)).toBe('lost');
    expect(await store.commands.step(old, 1, fact('step'))).toBe('lost');
    expect(await store.commands.park(old, fact('parked'), 'gave up')).toBe('lost');
    expect(await store.commands.finish({ claim: old, event: fact('done') })).toEqual({ outcome: 'lost' });
    expect(await readAll(store.events)).toHaveLength(1);
  });

  test('the former holder may finish when nobody took over', async () => {
    const store = await open();
    const claim = await head(store, 'c1', { claim: { owner: 'a', lease: 2 } });
    await store.passes(4);
    expect(await store.commands.finish({ claim, event: fact('done') })).toMatchObject({ outcome: 'finished' });
  });

  test('what is given back may be claimed at once, or after the delay', async () => {
    const store = await open();
    const first = await head(store, 'c1');
    expect(await store.commands.release(first, 0)).toBe('released');
    const [second] = await store.commands.claim(all);
    expect(second).toMatchObject({ command: 'c1', attempt: 2 });
    if (second) expect(await store.commands.release(second, 60_000)).toBe('released');
    expect(await store.commands.claim(all)).toEqual([]);
    expect(await store.commands.depth()).toEqual({ waiting: 1, claimed: 0, parked: 0 });
    expect(await store.commands.nextClaimable()).toBeGreaterThan(50_000);
  });

  test('a delay passes', async () => {
    const store = await open();
    await store.commands.release(await head(store, 'c1'), 3);
    await store.passes(5);
    expect(await store.commands.claim(all)).toMatchObject([{ command: 'c1', attempt: 2 }]);
  });

  test('whoever gave it back can’t finish after all', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.release(claim, 60_000);
    expect(await store.commands.finish({ claim, event: fact('done') })).toEqual({ outcome: 'lost' });
    expect(await store.commands.release(claim, 0)).toBe('lost');
  });

  test('a delayed head keeps its place: those behind it wait', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.accept(acceptance('c2'));
    await store.commands.release(claim, 60_000);
    expect(await store.commands.claim(all)).toEqual([]);
  });

  test('steps are recorded once each and handed to whoever takes over', async () => {
    const store = await open();
    const first = await head(store, 'c1', { claim: { owner: 'a', lease: 50 } });
    expect(await store.commands.step(first, 1, fact('one', 'StepDone'))).toBe('recorded');
    expect(await store.commands.step(first, 1, fact('other', 'StepDone'))).toBe('duplicate');
    expect(await store.commands.step(first, 2, fact('two', 'StepDone'))).toBe('recorded');
    await store.passes(60);
    const [second] = await store.commands.claim(all);
    expect(second?.steps).toMatchObject([
      { id: 'c1/step/1/1', version: 2, data: { name: 'one' } },
      { id: 'c1/step/2/1', version: 3, data: { name: 'two' } },
    ]);
    expect(await readAll(store.events)).toHaveLength(3);
  });

  test('steps come in order of their number, beyond nine too', async () => {
    const store = await open();
    const claim = await head(store, 'c1', { claim: { owner: 'a', lease: 50 } });
    for (const n of [10, 2, 1, 11]) await store.commands.step(claim, n, fact(`${n}`));
    await store.passes(60);
    const [second] = await store.commands.claim(all);
    expect(second?.steps.map(({ id }) => id)).toEqual(['c1/step/1/1', 'c1/step/2/1', 'c1/step/10/1', 'c1/step/11/1']);
  });

  test('two workers at once never claim the same', async () => {
    const store = await open();
    const other = await store.again();
    for (let i = 0; i < 40; i++) await store.commands.accept(acceptance(`c${i}`, { aggregate: `a/${i}` }));
    const claims = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).commands.claim({ ...all, limit: 3 })));
    const commands = claims.flat().map(({ command }) => command);
    expect(commands).toHaveLength(40);
    expect(new Set(commands).size).toBe(40);
    expect(new Set(claims.flat().map(({ fence }) => fence)).size).toBe(40);
  });

  test('workers that take and finish keep the order within each aggregate', async () => {
    const store = await open();
    const other = await store.again();
    for (let i = 0; i < 60; i++) await store.commands.accept(acceptance(`c${i}`, { aggregate: `a/${i % 4}` }));
    const work = async (one: typeof store) => {
      for (;;) {
        const [claim] = await one.commands.claim({ owner: 'w', lease: 60_000, limit: 1 });
        if (claim) await one.commands.finish({ claim, event: fact(claim.command, 'CommandSucceeded') });
        else if ((await one.commands.depth()).waiting === 0) return;
      }
    };
    await Promise.all([work(store), work(other), work(store)]);
    const done = (await readAll(store.events))
      .filter(({ type }) => type === 'CommandSucceeded')
      .map(({ stream }) => Number(stream.slice('command/c'.length)));
    expect(done).toHaveLength(60);
    for (let a = 0; a < 4; a++) {
      expect(done.filter((n) => n % 4 === a)).toEqual(Array.from({ length: 15 }, (_, i) => 4 * i + a));
    }
  });
}
