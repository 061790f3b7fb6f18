import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventStore } from '../../domain/ports/index.ts';
import { createFakeClock } from '../../test/support/fake-clock/index.ts';
import { createEmbeddedStore, type EmbeddedOptions, type EmbeddedStore } from './index.ts';

const fact = (name: string) => ({ type: 'ThingHappened', schema: 1, time: '2026-01-01T00:00:00.000Z', data: { name } });
const accepting = { command: 'c1', aggregate: 'a/1', digest: 'd', event: fact('c1'), deadline: Date.UTC(2100, 0, 1) };

async function names(events: EventStore): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const some of events.log('0-0')) found.push(...some.map(({ data }) => data));
  return found;
}

describe('the embedded store in a file', () => {
  let folder: string;
  let file: string;
  let opened: EmbeddedStore[];
  const clock = createFakeClock();
  const open = (more: Partial<EmbeddedOptions> = {}) => {
    for (const store of opened.splice(0)) store.close();
    const store = createEmbeddedStore({ clusterId: 'c', clock, file, ...more });
    opened.push(store);
    return store;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mogenius-embedded-'));
    file = join(folder, 'log.jsonl');
    opened = [];
  });
  afterEach(() => {
    for (const store of opened) store.close();
    rmSync(folder, { recursive: true });
  });

  test.each([false, true])('what was appended is there after a restart (fsync %s)', async (fsync) => {
    await open({ fsync }).events.append({ stream: 'task/1', events: [fact('a'), fact('b')], expected: 'none', id: 'x', term: 4 });
    const again = open({ fsync });
    expect(await names(again.events)).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(again.term()).toBe(4);
    expect(await again.events.append({ stream: 'task/1', events: [fact('a')], expected: 'none', id: 'x' })).toMatchObject({
      outcome: 'duplicate',
      version: 2,
    });
    expect(await again.events.append({ stream: 'task/1', events: [fact('c')], expected: 2, id: 'y' })).toMatchObject({
      outcome: 'appended',
    });
  });

  test('a line that a crash cut in half is taken off, and appends go on', async () => {
    await open().events.append({ stream: 'task/1', events: [fact('a')], expected: 'none', id: 'x' });
    const whole = readFileSync(file, 'utf8');
    for (const half of ['[', '[{"k":"event","ev', '[{"k":"mark","position":"9-9"}]']) {
      appendFileSync(file, half);
      expect(await names(open().events)).toEqual([{ name: 'a' }]);
      expect(readFileSync(file, 'utf8')).toBe(whole);
    }
    await open().events.append({ stream: 'task/1', events: [fact('b')], expected: 1, id: 'y' });
    expect(await names(open().events)).toEqual([{ name: 'a' }, { name: 'b' }]);
  });

  test('a broken line in the middle is an error, never skipped', async () => {
    open();
    appendFileSync(file, '[{"k":"nonsense"}]\n');
    expect(() => createEmbeddedStore({ clusterId: 'c', clock, file })).toThrow();
  });

  test('after a restart a claimed command may be claimed at once, with a higher fence and attempt', async () => {
    const first = await open().commands.accept({ ...accepting, sealed: new Uint8Array([7]), claim: { owner: 'a', lease: 60_000 } });
    const fence = 'claim' in first ? first.claim?.fence : undefined;
    const [claim] = await open().commands.claim({ owner: 'b', lease: 60_000, limit: 9 });
    expect(claim).toMatchObject({ command: 'c1', attempt: 2 });
    expect(claim?.fence).toBeGreaterThan(fence ?? 99);
    expect(claim?.sealed).toEqual(Buffer.from([7]));
  });

  test('queues, steps, parking places and outcomes survive a restart and a trim that rewrites the file', async () => {
    const store = open();
    for (const command of ['c1', 'c2', 'c3', 'c4']) await store.commands.accept({ ...accepting, command, aggregate: 'a/1' });
    const next = async () => {
      const [claim] = await store.commands.claim({ owner: 'a', lease: 60_000, limit: 1 });
      if (!claim) throw new Error('nothing to claim');
      return claim;
    };
    await store.commands.finish({ claim: await next(), event: fact('done'), sealed: new Uint8Array([1]) });
    await store.commands.park(await next(), fact('parked'), 'gave up');
    await store.commands.step(await next(), 1, fact('made'));
    await store.keeper.markArchived(await store.events.end());
    expect(await store.keeper.trim('99999999999999-0')).toMatchObject({ removed: 1, stoppedBy: 'open command' });

    const again = open();
    expect(await again.commands.depth()).toEqual({ waiting: 2, claimed: 0, parked: 1 });
    expect(await again.commands.accept({ ...accepting, command: 'c1' })).toMatchObject({ outcome: 'finished', sealed: Buffer.from([1]) });
    expect(await again.commands.claim({ owner: 'a', lease: 1, limit: 9 })).toMatchObject([
      { command: 'c3', attempt: 2, steps: [{ data: { name: 'made' } }] },
    ]);
    expect((await again.commands.parked({ offset: 0, limit: 9 })).items).toMatchObject([{ command: 'c2', reason: 'gave up' }]);
    expect(await again.commands.mark()).toBe(await store.commands.mark());
  });

  test('an outcome that was trimmed away is not taken for a new command', async () => {
    const store = open();
    const first = await store.commands.accept({ ...accepting, claim: { owner: 'a', lease: 60_000 } });
    if (!('claim' in first && first.claim)) throw new Error('not claimed');
    const finished = await store.commands.finish({ claim: first.claim, event: fact('done') });
    await store.keeper.markArchived(await store.events.end());
    await store.keeper.trim(await store.events.end());
    await expect(store.commands.accept(accepting)).rejects.toMatchObject({ code: 'POSITION_TRIMMED' });
    const event = 'event' in finished ? finished.event : undefined;
    const archive = { find: async () => event, log: async function* () {}, read: async function* () {} };
    expect(await open({ archive }).commands.accept(accepting)).toEqual({ outcome: 'finished', event });
  });

  test('ids are forgotten after a day, not before', async () => {
    const store = open();
    await store.events.append({ stream: 'task/1', events: [fact('a')], expected: 'any', id: 'x' });
    await clock.advance(86_000_000);
    expect(await store.events.append({ stream: 'task/1', events: [fact('a')], expected: 'any', id: 'x' })).toMatchObject({
      outcome: 'duplicate',
    });
    await clock.advance(1_000_000);
    await store.events.append({ stream: 'task/1', events: [fact('b')], expected: 'any', id: 'y' });
    expect(await store.events.append({ stream: 'task/1', events: [fact('c')], expected: 'any', id: 'x' })).toMatchObject({
      outcome: 'appended',
    });
  });
});
