import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { workspaces } from '../../domain/kinds.ts';
import { allEvents, checkInvariants } from '../support/invariants/index.ts';
import { type Operator, startOperator } from '../support/operator/index.ts';
import { noValkey, type ValkeyProxy, valkeyProxy, valkeyServer } from '../support/valkey/index.ts';
import { creates, done, persist, type Stage, setStage } from './stage.ts';

const patience = { timeout: 40_000, interval: 50 };
const readiness = z.object({
  ready: z.boolean(),
  dependencies: z.array(z.looseObject({ name: z.string(), state: z.string(), reason: z.string().optional() })),
});
const readyz = async ({ http }: Pick<Operator, 'http'>) => readiness.parse(await (await fetch(`${http}/readyz`)).json());
const stateOf = async (operator: Operator, name: string) => (await readyz(operator)).dependencies.find((one) => one.name === name);
const check = (stage: Stage, operator: Operator) => {
  const { cluster, namespace } = stage.kubernetes;
  return checkInvariants({ operator, cluster, namespace });
};

describe.skipIf(noValkey)('Valkey goes and comes back', () => {
  let stage: Stage;
  let proxy: ValkeyProxy;
  let operator: Operator;

  beforeAll(async () => {
    stage = await setStage({ valkey: { appendonly: true } });
    proxy = await valkeyProxy(stage.valkey);
    operator = await stage.operator({ valkey: `127.0.0.1:${proxy.port}`, leaderLease: 1_000 });
  });
  afterAll(async () => {
    await stage?.clear();
    await proxy?.close();
  });

  it('is restarted under load: what was not answered with success is answered 503, and sent again it is carried out once', async () => {
    const load = persist(stage, creates('restart', 120));
    await vi.waitFor(async () => expect((await allEvents(operator)).length).toBeGreaterThan(40), patience);
    await stage.valkey.restart();
    expect((await load).filter((code) => code !== 503)).toEqual([]);
    await check(stage, operator);
  });

  it('its connection is cut in the middle of a reply, again and again', async () => {
    const load = persist(stage, creates('cut', 60));
    for (let cuts = 0, replies = 0; cuts < 5; ) {
      const { promise: isCut, resolve } = Promise.withResolvers<void>();
      proxy.onReply(() => {
        if (++replies % 20 !== 0) return 'pass';
        resolve();
        return 'cut';
      });
      await isCut;
      proxy.onReply(() => 'pass');
      cuts++;
      await vi.waitFor(async () => expect(await stateOf(operator, 'valkey')).toMatchObject({ state: 'ok' }), patience);
    }
    const codes = await load;
    expect(codes.filter((code) => code !== 503)).toEqual([]);
    await check(stage, operator);
  });

  it('says nothing for a while: commands are answered 503, readiness says so, and all is well after', async () => {
    stage.valkey.pause();
    try {
      await expect(stage.ask('create/workspace', creates('silent', 1)[0]?.payload, { id: 'silent-0' })).resolves.toMatchObject({
        status: 'error',
        statusCode: 503,
      });
      await vi.waitFor(async () => {
        expect(await readyz(operator)).toMatchObject({ ready: false });
        expect(await stateOf(operator, 'valkey')).toMatchObject({ state: 'failed' });
      }, patience);
    } finally {
      stage.valkey.continue();
    }
    await persist(stage, creates('silent', 20));
    await vi.waitFor(async () => expect(await readyz(operator)).toMatchObject({ ready: true }), patience);
    await check(stage, operator);
  });

  it('is full: new commands are answered 503, those under way are finished, and with more memory all goes on', async () => {
    await stage.ask('create/workspace', { name: 'full', displayName: 'full', resources: [] });
    // Held at the API server while the memory runs out: its outcome is written all the same.
    stage.kubernetes.control?.pause();
    const underWay = stage.ask('create/workspace', creates('underway', 1)[0]?.payload, { id: 'underway-0' });
    await vi.waitFor(async () => {
      expect((await allEvents(operator)).map(({ commandid }) => commandid)).toContain('underway-0');
    }, patience);
    await stage.valkey.cli('CONFIG', 'SET', 'maxmemory', '1mb');
    try {
      await expect(stage.ask('create/workspace', creates('refused', 1)[0]?.payload, { id: 'refused-0' })).resolves.toMatchObject({
        status: 'error',
        statusCode: 503,
        message: 'the event log is full: Valkey is at maxmemory',
      });
      stage.kubernetes.control?.resume();
      expect(await underWay).toEqual(done.create);
    } finally {
      await stage.valkey.cli('CONFIG', 'SET', 'maxmemory', '0');
    }
    await persist(stage, creates('refused', 20));
    await check(stage, operator);
  });
});

describe.skipIf(noValkey)('Valkey loses what it had', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  const open = async (...how: Parameters<typeof setStage>) => {
    const stage = await setStage(...how);
    ends.push(() => stage.clear());
    return stage;
  };

  /** The file that grows with each write, in the folder of a server. */
  const logFile = async (stage: Stage) => {
    const answer = z.tuple([z.string(), z.string()]).parse(await stage.valkey.cli('CONFIG', 'GET', 'dir'));
    const folder = join(answer[1], 'appendonlydir');
    const name = readdirSync(folder).find((one) => one.endsWith('.incr.aof'));
    if (name === undefined) throw new Error('there is no such file');
    return join(folder, name);
  };
  const outcomesIn = async (operator: Operator) =>
    new Set((await allEvents(operator)).flatMap(({ type, commandid }) => (type === 'CommandSucceeded' ? [commandid] : [])));

  it('killed under load with fsync: nothing that was answered is lost', async () => {
    const stage = await open({ valkey: { appendonly: true, appendfsync: 'always' } });
    const operator = await stage.operator({ env: { MO_EVENT_DURABILITY: 'fsync' } });
    const answered = new Set<string>();
    const plans = creates('fsync', 150);
    const load = Promise.all(
      plans.map(async ({ id, pattern, payload }) => {
        const answer = await stage.ask(pattern, payload, { id });
        if (JSON.stringify(answer) === JSON.stringify(done.create)) answered.add(id);
      }),
    );
    await vi.waitFor(() => expect(answered.size).toBeGreaterThan(20), patience);
    await stage.valkey.kill();
    const before = [...answered];
    await stage.valkey.restart();
    await load;
    const kept = await vi.waitFor(() => outcomesIn(operator), patience);
    expect(before.filter((id) => !kept.has(id))).toEqual([]);
    await persist(stage, plans);
    await check(stage, operator);
  });

  it('without power, with everysec: at most what came after the last write to the disk is lost; it is said, and mended', async () => {
    const stage = await open({ valkey: { appendonly: true } });
    const operator = await stage.operator({ leaderLease: 1_000 });
    await vi.waitFor(async () => expect(await stateOf(operator, 'leadership')).toMatchObject({ reason: 'this replica leads' }), patience);
    await persist(stage, creates('kept', 30));
    expect(await stateOf(operator, 'log')).toBeUndefined();
    const file = await logFile(stage);
    await vi.waitFor(
      async () => expect(String(await stage.valkey.cli('INFO', 'persistence'))).toContain('aof_pending_bio_fsync:0'),
      patience,
    );
    const onDisk = statSync(file).size;
    await persist(stage, creates('lost', 30));
    await stage.valkey.kill();
    // What the disk had not got when the machine went down.
    truncateSync(file, onDisk);
    await stage.valkey.restart();

    await vi.waitFor(async () => expect(await stateOf(operator, 'log')).toMatchObject({ state: 'degraded' }), patience);
    const kept = await outcomesIn(operator);
    expect(creates('kept', 30).filter(({ id }) => !kept.has(id))).toEqual([]);
    expect(creates('lost', 30).filter(({ id }) => !kept.has(id))).toHaveLength(30);
    // The objects are there: they are recorded anew, and asked for again the commands find them.
    const { cluster, namespace } = stage.kubernetes;
    const uids = async () =>
      new Map((await cluster.list(workspaces, { namespace })).items.map(({ metadata }) => [metadata.name, metadata.uid]));
    const before = await uids();
    expect(before.size).toBe(60);
    await vi.waitFor(async () => {
      const names = z.object({ data: z.array(z.object({ name: z.string() })) }).parse(await stage.ask('get/workspaces', null)).data;
      expect(names).toHaveLength(60);
    }, patience);
    expect(await persist(stage, creates('lost', 30))).toEqual([]);
    expect(await uids()).toEqual(before);
    await check(stage, operator);
  });

  it('a replica is promoted that had not got everything: it is said, and nobody gets a second effect', async () => {
    const stage = await open({ valkey: { appendonly: true } });
    const replica = await valkeyServer({ appendonly: true });
    ends.push(() => replica.stop());
    await replica.cli('REPLICAOF', stage.valkey.host, String(stage.valkey.port));
    await vi.waitFor(async () => expect(String(await replica.cli('INFO', 'replication'))).toContain('master_link_status:up'), patience);

    const target = { host: '127.0.0.1', port: stage.valkey.port };
    const front = await valkeyProxy(target);
    ends.push(() => front.close());
    const operator = await stage.operator({ valkey: `127.0.0.1:${front.port}`, leaderLease: 1_000 });
    await vi.waitFor(async () => expect(await stateOf(operator, 'leadership')).toMatchObject({ reason: 'this replica leads' }), patience);
    await persist(stage, creates('copied', 20));
    await stage.valkey.cli('WAIT', '1', '5000');
    // From here on nothing reaches the replica.
    await replica.cli('REPLICAOF', 'NO', 'ONE');
    await persist(stage, creates('missing', 20));
    target.port = replica.port;
    front.cutAll();

    await vi.waitFor(async () => expect(await stateOf(operator, 'log')).toMatchObject({ state: 'degraded' }), patience);
    const { cluster, namespace } = stage.kubernetes;
    const list = async () =>
      (await cluster.list(workspaces, { namespace })).items.map(({ metadata }) => [metadata.name, metadata.uid, metadata.generation]);
    const before = await list();
    expect(before).toHaveLength(40);
    expect(await persist(stage, [...creates('copied', 20), ...creates('missing', 20)])).toEqual([]);
    expect(await list()).toEqual(before);
    await check(stage, operator);
  });

  it('is absent at the start: the operator waits and says so, and is ready when it comes', async () => {
    const stage = await open();
    await stage.valkey.kill();
    const operator = await startOperator({
      kubeconfig: stage.kubernetes.kubeconfig,
      valkey: `${stage.valkey.host}:${stage.valkey.port}`,
      namespace: stage.kubernetes.namespace,
      clusterId: stage.clusterId,
      until: 'listening',
    });
    ends.push(() => operator.stop());
    const request = { id: 'early', pattern: 'create/workspace', payload: creates('early', 1)[0]?.payload };
    expect((await operator.post('/api/v1/commands', request)).status).toBe(503);
    await vi.waitFor(async () => {
      expect(await readyz(operator)).toMatchObject({ ready: false });
      expect(await stateOf(operator, 'valkey')).toMatchObject({ state: 'failed' });
    }, patience);
    await stage.valkey.restart();
    await vi.waitFor(async () => expect(await readyz(operator)).toMatchObject({ ready: true }), patience);
    expect((await operator.post('/api/v1/commands', request)).status).toBe(200);
    const { cluster, namespace } = stage.kubernetes;
    await checkInvariants({ operator, cluster, namespace });
    expect(await cluster.get(workspaces, { name: 'early-0', namespace })).toBeDefined();
  });
});
