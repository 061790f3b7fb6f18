import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createValkeyCommandLog, createValkeyEventStore, type ValkeyConnection } from '../../adapters/valkey/index.ts';
import { StoreUnavailable } from '../../domain/errors.ts';
import { acceptance, events, fact, readAll } from '../support/stores/index.ts';
import { clusterOn, noValkey, type ValkeyProxy, type ValkeyServer, valkeyProxy, valkeyServer } from '../support/valkey/index.ts';

/** redis/ioredis #933, commanded/commanded #452: sent again after a lost reply, a command ran twice. */
describe.skipIf(noValkey)('a reply that is lost', () => {
  let server: ValkeyServer;
  let proxy: ValkeyProxy;
  let connection: ValkeyConnection;
  beforeAll(async () => {
    server = await valkeyServer();
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    await connection.stop({ deadline: 0 });
    await proxy.close();
  });
  const connect = async () => {
    proxy = await valkeyProxy(server);
    connection = await clusterOn({ port: proxy.port });
  };
  /** Lets the call run and its reply vanish with the socket; then asks once more, as a caller does. */
  const losing = async <T>(call: () => Promise<T>): Promise<T> => {
    let lost = 0;
    proxy.onReply(() => {
      lost += 1;
      return 'swallow';
    });
    await expect(call()).rejects.toSatisfy((error) => StoreUnavailable.is(error));
    expect(lost).toBeGreaterThan(0);
    proxy.onReply(() => 'pass');
    await connection.whenReady(AbortSignal.timeout(30_000));
    return call();
  };

  test('of an append: one entry, and the caller gets its position', async () => {
    await connect();
    const store = createValkeyEventStore(connection);
    const answer = await losing(() => store.append({ stream: 'task/1', events: events('a', 'b'), expected: 'none', id: 'x' }));
    expect(answer).toEqual({ outcome: 'duplicate', version: 2, position: await store.end() });
    expect(await readAll(store)).toHaveLength(2);
  });

  test('of an acceptance: one command, which is open', async () => {
    await connect();
    const [store, commands] = [createValkeyEventStore(connection), createValkeyCommandLog(connection)];
    expect(await losing(() => commands.accept(acceptance('c1')))).toMatchObject({ outcome: 'open' });
    expect(await readAll(store)).toHaveLength(1);
    expect(await commands.depth()).toEqual({ waiting: 1, claimed: 0, parked: 0 });
  });

  test('of an outcome: one outcome, and the caller gets it', async () => {
    await connect();
    const [store, commands] = [createValkeyEventStore(connection), createValkeyCommandLog(connection)];
    const accepted = await commands.accept(acceptance('c1', { claim: { owner: 'a', lease: 60_000 } }));
    if (!('claim' in accepted && accepted.claim)) throw new Error('not claimed');
    const { claim } = accepted;
    expect(await losing(() => commands.finish({ claim, event: fact('done', 'CommandSucceeded') }))).toMatchObject({
      outcome: 'duplicate',
      event: { type: 'CommandSucceeded', version: 2 },
    });
    expect(await readAll(store)).toHaveLength(2);
  });

  test('of steps, parking, retry and discard: each once', async () => {
    await connect();
    const [store, commands] = [createValkeyEventStore(connection), createValkeyCommandLog(connection)];
    const accepted = await commands.accept(acceptance('c1', { claim: { owner: 'a', lease: 60_000 } }));
    if (!('claim' in accepted && accepted.claim)) throw new Error('not claimed');
    const { claim } = accepted;
    expect(await losing(() => commands.step(claim, 1, fact()))).toBe('duplicate');
    expect(await losing(() => commands.park(claim, fact(), 'reason'))).toBe('parked');
    expect(await losing(() => commands.retry('c1', fact()))).toBe('queued');
    const [again] = await commands.claim({ owner: 'a', lease: 60_000, limit: 1 });
    if (again) await commands.park(again, fact(), 'reason');
    expect(await losing(() => commands.discard('c1', fact()))).toBe('discarded');
    expect(await readAll(store)).toHaveLength(6);
  });
});
