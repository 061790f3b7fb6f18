import { expect, test } from 'vitest';
import { acceptance, fact, head, type OpenStore, readAll } from '../../support/stores/index.ts';

export function accepting(open: OpenStore): void {
  test('an acceptance is the first event of its command', async () => {
    const store = await open();
    const answer = await store.commands.accept(acceptance('c1'));
    expect(answer).toEqual({ outcome: 'accepted', position: await store.events.end(), ahead: 0 });
    expect(await readAll(store.events)).toMatchObject([
      { id: 'c1/accepted/1', stream: 'command/c1', version: 1, type: 'CommandAccepted', data: { pattern: 'create/workspace', name: 'c1' } },
    ]);
  });

  test('without being asked it claims nothing', async () => {
    const store = await open();
    await store.commands.accept(acceptance('c1'));
    expect(await store.commands.depth()).toEqual({ waiting: 1, claimed: 0, parked: 0 });
    expect(await store.commands.nextClaimable()).toBe(0);
  });

  test('claims in the same call when its queue was empty', async () => {
    const store = await open();
    const answer = await store.commands.accept(acceptance('c1', { claim: { owner: 'a', lease: 60_000 } }));
    const [accepted] = await readAll(store.events);
    expect(answer).toMatchObject({
      outcome: 'accepted',
      ahead: 0,
      claim: { command: 'c1', aggregate: 'workspace/shop', attempt: 1, steps: [] },
    });
    expect('claim' in answer && answer.claim?.accepted).toEqual(accepted);
    expect('claim' in answer && answer.claim?.fence).toBeGreaterThan(0);
    expect(await store.commands.depth()).toEqual({ waiting: 0, claimed: 1, parked: 0 });
  });

  test('behind another it waits and says how many are before it', async () => {
    const store = await open();
    await head(store, 'c1');
    expect(await store.commands.accept(acceptance('c2', { claim: { owner: 'a', lease: 60_000 } }))).toMatchObject({
      outcome: 'accepted',
      ahead: 1,
    });
    const third = await store.commands.accept(acceptance('c3', { claim: { owner: 'a', lease: 60_000 } }));
    expect(third).toMatchObject({ ahead: 2 });
    expect('claim' in third && third.claim).toBeFalsy();
  });

  test('does not overtake an unclaimed one', async () => {
    const store = await open();
    await store.commands.accept(acceptance('c1'));
    const second = await store.commands.accept(acceptance('c2', { claim: { owner: 'a', lease: 60_000 } }));
    expect('claim' in second && second.claim).toBeFalsy();
    expect((await store.commands.claim({ owner: 'a', lease: 60_000, limit: 10 })).map(({ command }) => command)).toEqual(['c1']);
  });

  test('another aggregate has a queue of its own', async () => {
    const store = await open();
    await head(store, 'c1');
    expect((await head(store, 'c2', { aggregate: 'workspace/other' })).command).toBe('c2');
  });

  test('the same command again is open, wherever it stands', async () => {
    const store = await open();
    const first = await store.commands.accept(acceptance('c1'));
    const position = 'position' in first ? first.position : undefined;
    expect(await store.commands.accept(acceptance('c1'))).toEqual({ outcome: 'open', position });
    const [claim] = await store.commands.claim({ owner: 'a', lease: 60_000, limit: 1 });
    expect(await store.commands.accept(acceptance('c1'))).toEqual({ outcome: 'open', position });
    if (claim) await store.commands.park(claim, fact('parked'), 'gave up');
    expect(await store.commands.accept(acceptance('c1'))).toEqual({ outcome: 'open', position });
  });

  test('a repeat writes nothing', async () => {
    const store = await open();
    await store.commands.accept(acceptance('c1'));
    await store.commands.accept(acceptance('c1'));
    expect(await readAll(store.events)).toHaveLength(1);
    expect(await store.commands.depth()).toEqual({ waiting: 1, claimed: 0, parked: 0 });
  });

  test('another request under the same id is a mismatch, open or finished', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    expect(await store.commands.accept(acceptance('c1', { digest: 'another' }))).toEqual({ outcome: 'mismatch' });
    await store.commands.finish({ claim, event: fact('done') });
    expect(await store.commands.accept(acceptance('c1', { digest: 'another' }))).toEqual({ outcome: 'mismatch' });
    expect(await readAll(store.events)).toHaveLength(2);
  });

  test('digests are told apart to their last letter', async () => {
    const store = await open();
    const long = 'x'.repeat(200);
    await store.commands.accept(acceptance('c1', { digest: `${long}a` }));
    expect(await store.commands.accept(acceptance('c1', { digest: `${long}b` }))).toEqual({ outcome: 'mismatch' });
  });

  test('a finished command is answered with its outcome', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.finish({ claim, event: fact('done', 'CommandSucceeded') });
    const [, outcome] = await readAll(store.events);
    expect(await store.commands.accept(acceptance('c1'))).toEqual({ outcome: 'finished', event: outcome });
    expect(outcome).toMatchObject({ id: 'c1/outcome/1', type: 'CommandSucceeded', version: 2 });
  });

  test('a hundred of the same at once are accepted once', async () => {
    const store = await open();
    const answers = await Promise.all(Array.from({ length: 100 }, () => store.commands.accept(acceptance('c1'))));
    expect(answers.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'open')).toHaveLength(99);
  });

  test('a queue at its bound is full, and others are not', async () => {
    const store = await open({ perAggregate: 2 });
    await store.commands.accept(acceptance('c1'));
    await store.commands.accept(acceptance('c2'));
    expect(await store.commands.accept(acceptance('c3'))).toEqual({ outcome: 'full' });
    expect(await store.commands.accept(acceptance('c4', { aggregate: 'workspace/other' }))).toMatchObject({ outcome: 'accepted' });
    expect(await readAll(store.events)).toHaveLength(3);
  });

  test('all queues together have a bound, and a finished command makes room', async () => {
    const store = await open({ inAll: 2 });
    const claim = await head(store, 'c1', { aggregate: 'a/1' });
    await store.commands.accept(acceptance('c2', { aggregate: 'a/2' }));
    expect(await store.commands.accept(acceptance('c3', { aggregate: 'a/3' }))).toEqual({ outcome: 'full' });
    await store.commands.finish({ claim, event: fact('done') });
    expect(await store.commands.accept(acceptance('c3', { aggregate: 'a/3' }))).toMatchObject({ outcome: 'accepted' });
  });

  test('at the bound a repeat still gets its answer', async () => {
    const store = await open({ inAll: 1 });
    await store.commands.accept(acceptance('c1'));
    expect(await store.commands.accept(acceptance('c1'))).toMatchObject({ outcome: 'open' });
  });

  test('ids and aggregates may hold slashes, quotes and any script', async () => {
    const store = await open();
    for (const [i, id] of ['reactor/17-3', 'a "b" \\ c', 'ü😀', '%s %d {x}', 'x|y'].entries()) {
      const claim = await head(store, id, { aggregate: `release/${id}` });
      expect(claim).toMatchObject({ command: id, aggregate: `release/${id}` });
      expect(await store.commands.finish({ claim, event: fact('done') })).toMatchObject({ outcome: 'finished' });
      expect(await store.commands.accept(acceptance(id, { aggregate: `release/${id}` }))).toMatchObject({ outcome: 'finished' });
      expect(await readAll(store.events)).toHaveLength(2 * (i + 1));
    }
    expect(await store.commands.depth()).toEqual({ waiting: 0, claimed: 0, parked: 0 });
  });

  test('a name that is none is refused', async () => {
    const store = await open();
    for (const name of ['', 'a\nb', 'x'.repeat(600)]) {
      await expect(store.commands.accept(acceptance(name))).rejects.toThrow(TypeError);
      await expect(store.commands.accept(acceptance('c1', { aggregate: name }))).rejects.toThrow(TypeError);
    }
  });
}
