import { expect, test } from 'vitest';
import { acceptance, fact, head, type OpenStore, observation, readAll } from '../../support/stores/index.ts';

const all = { owner: 'b', lease: 60_000, limit: 100 };
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const sealedOf = (answer: unknown): Uint8Array | undefined =>
  typeof answer === 'object' && answer !== null && 'sealed' in answer && answer.sealed instanceof Uint8Array ? answer.sealed : undefined;

export function finishing(open: OpenStore): void {
  test('an outcome is appended and answered', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    const answer = await store.commands.finish({ claim, event: fact('done', 'CommandSucceeded') });
    const [, outcome] = await readAll(store.events);
    expect(answer).toEqual({ outcome: 'finished', position: outcome?.position, event: outcome });
    expect(outcome).toMatchObject({ id: 'c1/outcome/1', stream: 'command/c1', version: 2, type: 'CommandSucceeded' });
    expect(await store.commands.depth()).toEqual({ waiting: 0, claimed: 0, parked: 0 });
    expect(await store.commands.nextClaimable()).toBeUndefined();
  });

  test('the first outcome stands', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    const first = await store.commands.finish({ claim, event: fact('done', 'CommandSucceeded') });
    const second = await store.commands.finish({ claim, event: fact('no', 'CommandFailed') });
    expect(second).toEqual({ outcome: 'duplicate', event: 'event' in first ? first.event : undefined });
    expect(await readAll(store.events)).toHaveLength(2);
  });

  test('the former holder of a finished command learns the outcome', async () => {
    const store = await open();
    const old = await head(store, 'c1', { claim: { owner: 'a', lease: 2 } });
    await store.passes(4);
    const [claim] = await store.commands.claim(all);
    if (!claim) throw new Error('not taken over');
    await store.commands.finish({ claim, event: fact('done', 'CommandSucceeded') });
    expect(await store.commands.finish({ claim: old, event: fact('no', 'CommandFailed') })).toMatchObject({
      outcome: 'duplicate',
      event: { type: 'CommandSucceeded' },
    });
  });

  test('frees the next of its queue', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.accept(acceptance('c2'));
    expect(await store.commands.claim(all)).toEqual([]);
    await store.commands.finish({ claim, event: fact('done') });
    expect(await store.commands.nextClaimable()).toBe(0);
    expect(await store.commands.claim(all)).toMatchObject([{ command: 'c2', attempt: 1 }]);
  });

  test('moves the mark to the last event of its call', async () => {
    const store = await open();
    expect(await store.commands.mark()).toBe('0-0');
    const claim = await head(store, 'c1');
    expect(await store.commands.mark()).toBe('0-0');
    const answer = await store.commands.finish({ claim, event: fact('done'), observations: [observation('object/a/b', 'u1', '5')] });
    expect(await store.commands.mark()).toBe(await store.events.end());
    expect('position' in answer && answer.position).toBe(await store.events.end());
    expect(await (await store.again()).commands.mark()).toBe(await store.events.end());
  });

  test('what the handler saw is recorded in the same call, after the outcome', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    const observations = [observation('object/a/b', 'u1', '5'), observation('object/a/c', 'u2', '6')];
    await store.commands.finish({ claim, event: fact('done'), observations });
    expect((await readAll(store.events)).map(({ id }) => id)).toEqual(['c1/accepted/1', 'c1/outcome/1', 'u1/5/1', 'u2/6/1']);
    expect(await store.events.observe(observations)).toEqual([{ outcome: 'known' }, { outcome: 'known' }]);
  });

  test('what a watch saw first is not recorded again', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.events.observe([observation('object/a/b', 'u1', '5')]);
    const answer = await store.commands.finish({ claim, event: fact('done'), observations: [observation('object/a/b', 'u1', '5')] });
    expect((await readAll(store.events)).map(({ id }) => id)).toEqual(['c1/accepted/1', 'u1/5/1', 'c1/outcome/1']);
    expect('position' in answer && answer.position).toBe(await store.events.end());
  });

  test('the same object twice in one outcome is recorded once', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    const seen = observation('object/a/b', 'u1', '5');
    await store.commands.finish({ claim, event: fact('done'), observations: [seen, seen] });
    expect(await readAll(store.events)).toHaveLength(3);
  });

  test('a lost claim records nothing of what it saw', async () => {
    const store = await open();
    const old = await head(store, 'c1', { claim: { owner: 'a', lease: 2 } });
    await store.passes(4);
    await store.commands.claim(all);
    await store.commands.finish({ claim: old, event: fact('done'), observations: [observation('object/a/b', 'u1', '5')] });
    expect(await readAll(store.events)).toHaveLength(1);
    expect(await store.events.observe([observation('object/a/b', 'u1', '5')])).toMatchObject([{ outcome: 'recorded' }]);
  });

  test('a sealed request comes with every claim and goes with the outcome', async () => {
    const store = await open();
    const first = await head(store, 'c1', { sealed: bytes('secret \u0000 \u00ff'), claim: { owner: 'a', lease: 2 } });
    expect(Buffer.from(first.sealed ?? []).toString()).toBe('secret \u0000 \u00ff');
    await store.passes(4);
    const [second] = await store.commands.claim(all);
    expect(Buffer.from(second?.sealed ?? []).toString()).toBe('secret \u0000 \u00ff');
    if (second) await store.commands.finish({ claim: second, event: fact('done') });
    expect(sealedOf(await store.commands.accept(acceptance('c1', { sealed: bytes('secret') })))).toBeUndefined();
  });

  test('a sealed request expires after deadline and grace', async () => {
    const store = await open({ grace: 2 });
    await store.commands.accept(acceptance('c1', { sealed: bytes('secret'), deadline: await store.now() }));
    await store.passes(5);
    const [claim] = await store.commands.claim(all);
    expect(claim?.command).toBe('c1');
    expect(claim?.sealed).toBeUndefined();
  });

  test('a claim without secrets has none', async () => {
    const store = await open();
    expect(Object.keys(await head(store, 'c1'))).not.toContain('sealed');
  });

  test('a sealed result is given to every repeat', async () => {
    const store = await open();
    const claim = await head(store, 'c1');
    await store.commands.finish({ claim, event: fact('done'), sealed: bytes('result') });
    for (const answer of [await store.commands.accept(acceptance('c1')), await store.commands.finish({ claim, event: fact('x') })]) {
      expect(Buffer.from(sealedOf(answer) ?? []).toString()).toBe('result');
    }
  });

  test('a sealed result is not kept for ever; the outcome is', async () => {
    const store = await open({ keepResults: 2 });
    const claim = await head(store, 'c1');
    await store.commands.finish({ claim, event: fact('done'), sealed: bytes('result') });
    await store.passes(5);
    const answer = await store.commands.accept(acceptance('c1'));
    expect(answer.outcome).toBe('finished');
    expect(sealedOf(answer)).toBeUndefined();
  });

  test('nothing sealed is in the log', async () => {
    const store = await open();
    const claim = await head(store, 'c1', { sealed: bytes('open sesame') });
    await store.commands.finish({ claim, event: fact('done'), sealed: bytes('open sesame') });
    const text = JSON.stringify(await readAll(store.events));
    expect(text).not.toContain('open sesame');
    expect(text).not.toContain(Buffer.from('open sesame').toString('base64'));
  });

  test('a megabyte sealed comes back whole', async () => {
    const store = await open();
    const secret = new Uint8Array(1_048_576).map((_, i) => i % 251);
    const claim = await head(store, 'c1', { sealed: secret });
    expect(Buffer.compare(claim.sealed ?? new Uint8Array(), secret)).toBe(0);
    await store.commands.release(claim, 0);
    const [again] = await store.commands.claim(all);
    expect(Buffer.compare(again?.sealed ?? new Uint8Array(), secret)).toBe(0);
  });

  test('50 callers at once: each command once from acceptance to outcome', async () => {
    const store = await open();
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const claim = await head(store, `c${i}`, { aggregate: `a/${i}` });
        await Promise.all([1, 2, 3].map(() => store.commands.finish({ claim, event: fact('done', 'CommandSucceeded') })));
      }),
    );
    const log = await readAll(store.events);
    expect(log.filter(({ type }) => type === 'CommandAccepted')).toHaveLength(50);
    expect(log.filter(({ type }) => type === 'CommandSucceeded')).toHaveLength(50);
    expect(await store.commands.depth()).toEqual({ waiting: 0, claimed: 0, parked: 0 });
  });
}
