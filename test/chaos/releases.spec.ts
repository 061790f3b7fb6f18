import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createValkeyCommandLog, createValkeyEventStore, type ValkeyConnection } from '../../adapters/valkey/index.ts';
import type { NewEvent } from '../../domain/event/index.ts';
import { allEvents, checkInvariants } from '../support/invariants/index.ts';
import type { Operator } from '../support/operator/index.ts';
import { clusterOn, noValkey } from '../support/valkey/index.ts';
import { creates, done, persist, type Stage, setStage } from './stage.ts';

const patience = { timeout: 40_000, interval: 50 };
const readiness = z.object({
  dependencies: z.array(z.looseObject({ name: z.string(), state: z.string(), reason: z.string().optional() })),
});
const parkedPage = z.object({ items: z.array(z.looseObject({ command: z.string(), reason: z.string() })) });

/** As another release would write it. */
const event = (type: string, data: unknown, more: Partial<NewEvent> = {}): NewEvent => ({
  type,
  schema: 1,
  time: '2026-12-01T10:00:00.000Z',
  data,
  actor: { source: 'operator', name: 'another release' },
  ...more,
});

describe.skipIf(noValkey)('an older and a newer release on one log', () => {
  let stage: Stage;
  let operator: Operator;
  /** The other release's connection. */
  let connection: ValkeyConnection;

  beforeAll(async () => {
    stage = await setStage();
    operator = await stage.operator();
    connection = await clusterOn(stage.valkey, { clusterId: stage.clusterId });
  });
  afterAll(async () => {
    await connection?.stop({ deadline: 1_000 });
    await stage?.clear();
  });

  const check = () => {
    const { cluster, namespace } = stage.kubernetes;
    return checkInvariants({ operator, cluster, namespace });
  };
  const acceptance = (command: string) => ({
    command,
    aggregate: 'dream/d',
    digest: command,
    deadline: Date.now() + 30_000,
    event: event(
      'CommandAccepted',
      {
        pattern: 'dream/thing',
        aggregate: 'dream/d',
        payload: { name: 'd' },
        receivedAt: new Date().toISOString(),
        deadline: new Date(Date.now() + 30_000).toISOString(),
        digest: command,
        audited: true,
      },
      { commandid: command, correlationid: command },
    ),
  });

  it('an event of an unknown type is kept and told, and passed over by the views', async () => {
    const events = createValkeyEventStore(connection);
    await events.append({
      stream: 'dream/d',
      expected: 'any',
      id: 'dream-1',
      events: [event('ThingDreamt', { of: 'sheep' }, { schema: 7 })],
    });
    await persist(stage, creates('unknown-type', 5));
    const log = await check();
    expect(log.filter(({ type }) => type === 'ThingDreamt').map(({ data }) => data)).toEqual([{ of: 'sheep' }]);
  });

  it('a command of a pattern that this release does not know is left to the one that accepted it', async () => {
    const commands = createValkeyCommandLog(connection);
    const accepted = await commands.accept({ ...acceptance('theirs'), claim: { owner: 'newer', lease: 60_000 } });
    if (accepted.outcome !== 'accepted' || !accepted.claim) throw new Error(`it was ${accepted.outcome}`);
    await persist(stage, creates('beside', 5));
    const outcome = event('CommandSucceeded', { result: 'dreamt' }, { commandid: 'theirs', correlationid: 'theirs' });
    expect(await commands.finish({ claim: accepted.claim, event: outcome })).toMatchObject({ outcome: 'finished' });
    await check();
  });

  it('when nobody who knows it comes, it is parked with the reason, and a person ends it; the queue behind it goes on', async () => {
    const commands = createValkeyCommandLog(connection);
    for (const id of ['orphan-1', 'orphan-2']) expect(await commands.accept(acceptance(id))).toMatchObject({ outcome: 'accepted' });
    await vi.waitFor(async () => {
      const { items } = parkedPage.parse((await operator.get('/api/v1/parked')).body);
      expect(items.map(({ command, reason }) => [command, reason]).sort()).toEqual([
        ['orphan-1', 'this release has no handler for dream/thing'],
        ['orphan-2', 'this release has no handler for dream/thing'],
      ]);
    }, patience);
    for (const id of ['orphan-1', 'orphan-2']) expect((await operator.post(`/api/v1/parked/${id}/discard`, {})).status).toBe(200);
    await check();
  });

  it("function libraries of two releases stay beside each other, and one's own that vanished is loaded again", async () => {
    const libraries = async () =>
      z
        .array(z.array(z.unknown()))
        .parse(await stage.valkey.cli('FUNCTION', 'LIST'))
        .map(([, name]) => name);
    const ours = await libraries();
    expect(ours).toHaveLength(1);
    const theirs = "#!lua name=mo_000000000000\nserver.register_function('mo_000000000000_append', function() return 1 end)";
    await stage.valkey.cli('FUNCTION', 'LOAD', theirs);
    const other = await stage.operator();
    expect((await libraries()).sort()).toEqual(['mo_000000000000', ...ours].sort());
    other.kill();
    await other.ended;

    const load = persist(stage, creates('flushed', 40));
    await vi.waitFor(
      async () => expect((await allEvents(operator)).some(({ commandid }) => commandid === 'flushed-9')).toBe(true),
      patience,
    );
    await stage.valkey.cli('FUNCTION', 'FLUSH', 'SYNC');
    expect(await load).toEqual([]);
    expect(await libraries()).toEqual(ours);
    await check();
  });

  // Last: nothing is folded behind this event.
  it('an event of a newer schema stops the views that would read it wrongly, and says so; commands are carried out all the same', async () => {
    const events = createValkeyEventStore(connection);
    const { namespace } = stage.kubernetes;
    const stream = `object/mogenius.com/workspaces/${namespace}/new` as const;
    await events.append({
      stream,
      expected: 'any',
      id: 'new-1',
      events: [event('ObjectAppeared', { shape: 'unheard of' }, { schema: 99 })],
    });
    await vi.waitFor(async () => {
      const { dependencies } = readiness.parse(await (await fetch(`${operator.http}/readyz`)).json());
      const directory = dependencies.find(({ name }) => name === 'projection directory');
      expect(directory).toMatchObject({ state: 'failed', reason: expect.stringContaining('ObjectAppeared') });
    }, patience);
    expect(await stage.ask('create/workspace', creates('after', 1)[0]?.payload, { id: 'after-0' })).toEqual(done.create);
    expect(await stage.ask('get/workspaces', null)).toMatchObject({ status: 'success', message: expect.stringContaining('stale') });
    expect(operator.child.exitCode).toBeNull();
  });
});
