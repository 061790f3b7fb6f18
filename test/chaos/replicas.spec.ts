import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { workspaces } from '../../domain/kinds.ts';
import { allEvents, checkInvariants } from '../support/invariants/index.ts';
import type { Operator } from '../support/operator/index.ts';
import { clusterOn, noValkey } from '../support/valkey/index.ts';
import { done, frame, type Stage, setStage } from './stage.ts';

const patience = { timeout: 30_000, interval: 50 };
const readiness = z.object({ dependencies: z.array(z.looseObject({ name: z.string(), reason: z.string().optional() })) });
const spec = z.looseObject({ name: z.string().optional() });
const workspace = (name: string, displayName: string) => ({ name, displayName, resources: [] });

describe.skipIf(noValkey)('two operators on one log', () => {
  let stage: Stage;
  /** Its links are 0 and 1. */
  let steady: Operator;
  /** Its links are 2 and 3. */
  let other: Operator;

  const replaceOther = async (signalAt?: string) => {
    other?.kill('SIGKILL');
    await other?.ended;
    await vi.waitFor(() => expect(stage.platform.open('api')).toBe(2), patience);
    other = await stage.operator({ ...(signalAt ? { signalAt } : {}) });
    await stage.platform.connected('api', 4);
  };
  const nameIn = async (name: string) => {
    const object = await stage.kubernetes.cluster.get(workspaces, { name, namespace: stage.kubernetes.namespace });
    return object && spec.parse(object.spec).name;
  };
  const check = (operator: Operator, foreign: readonly string[] = []) => {
    const { cluster, namespace } = stage.kubernetes;
    return checkInvariants({ operator, cluster, namespace, foreign: new Set(foreign) });
  };
  const leadership = async (operator: Operator) => {
    const response = await fetch(`${operator.http}/readyz`);
    return readiness.parse(await response.json()).dependencies.find(({ name }) => name === 'leadership')?.reason;
  };

  beforeAll(async () => {
    stage = await setStage();
    steady = await stage.operator({ leaderLease: 1_500 });
    await stage.platform.connected('api', 2);
    other = await stage.operator({ leaderLease: 1_500 });
    await stage.platform.connected('api', 4);
  });
  afterAll(() => stage?.clear());

  it('200 commands on 8 objects, each sent to both: in order for each object, and each carried out once', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `busy-${i}`);
    const plans = names.flatMap((name, i) =>
      Array.from({ length: 25 }, (_, n) => ({
        id: `${name}-${n}`,
        pattern: n === 0 ? 'create/workspace' : 'update/workspace',
        payload: workspace(name, `${name} ${n}`),
        link: i % 4,
        expected: n === 0 ? done.create : done.update,
      })),
    );
    const answers = await Promise.all(plans.map(({ id, pattern, payload, link }) => stage.ask(pattern, payload, { id, link })));
    expect(answers).toEqual(plans.map(({ expected }) => expected));
    // The same once more, to the other replica each.
    const again = await Promise.all(
      plans.map(({ id, pattern, payload, link }) => stage.ask(pattern, payload, { id, link: (link + 2) % 4 })),
    );
    expect(again).toEqual(answers);

    for (const name of names) expect(await nameIn(name)).toBe(`${name} 24`);
    const events = await check(steady);
    for (const name of names) {
      const order = events.flatMap(({ type, commandid = '' }) =>
        type === 'CommandSucceeded' && commandid.startsWith(`${name}-`) ? [commandid] : [],
      );
      expect(order).toEqual(Array.from({ length: 25 }, (_, n) => `${name}-${n}`));
    }
    await check(other);
  });

  it.each(['claimed', 'before-effect', 'after-effect', 'before-finish'])(
    'stopped at %s past its lease and continued, it is refused: the outcome of the one that took over stands',
    async (point) => {
      const [made, changed, gone] = [`made-${point}`, `changed-${point}`, `gone-${point}`];
      await Promise.all([changed, gone].map((name) => stage.ask('create/workspace', workspace(name, 'before'), { link: 0 })));
      const requests = [
        { id: `${point}-create`, pattern: 'create/workspace', payload: workspace(made, 'first') },
        { id: `${point}-update`, pattern: 'update/workspace', payload: workspace(changed, 'first') },
        { id: `${point}-delete`, pattern: 'delete/workspace', payload: { name: gone } },
      ];
      await replaceOther(`${point} SIGSTOP ${requests.map(({ id }) => id).join()}`);
      for (const { id, pattern, payload } of requests) stage.platform.raw(frame(id, pattern, payload), 2);
      await vi.waitFor(async () => {
        const begun = (await allEvents(steady)).filter(
          ({ type, commandid }) => type === 'CommandAccepted' && requests.some(({ id }) => id === commandid),
        );
        expect(begun).toHaveLength(3);
      }, patience);

      const taken = await Promise.all(requests.map(({ id, pattern, payload }) => stage.ask(pattern, payload, { id, link: 0 })));
      expect(taken).toEqual([done.create, done.update, done.delete]);
      // Life goes on: what the stopped one was about to do would now be wrong.
      await stage.ask('delete/workspace', { name: made }, { link: 0 });
      await stage.ask('update/workspace', workspace(changed, 'second'), { link: 1 });
      await stage.ask('create/workspace', workspace(gone, 'second'), { link: 1 });

      other.kill('SIGCONT');
      await vi.waitFor(() => {
        const late = stage.platform.repeats.all;
        expect(requests.map(({ id }) => late.filter((one) => one.id === id).map(({ payload }) => payload))).toEqual([
          [done.create],
          [done.update],
          [done.delete],
        ]);
      }, patience);
      expect([await nameIn(made), await nameIn(changed), await nameIn(gone)]).toEqual([undefined, 'second', 'second']);
      await check(steady);
    },
  );

  it('a leader stopped past its Lease and continued is refused by its term, and nothing is seen twice', async () => {
    await replaceOther();
    await vi.waitFor(async () => expect([await leadership(steady), await leadership(other)]).toContain('this replica leads'), patience);
    const [leader, follower] = (await leadership(steady)) === 'this replica leads' ? [steady, other] : [other, steady];
    const { cluster, namespace } = stage.kubernetes;
    const object = { apiVersion: 'mogenius.com/v1alpha1', kind: 'Workspace', spec: { name: 'foreign', resources: [] } };
    const foreign = ['foreign-1', 'foreign-2', 'foreign-3'];
    const make = (name: string) => cluster.create(workspaces, { ...object, metadata: { name, namespace } });
    const seen = async (operator: Operator) => {
      const events = await allEvents(operator);
      return foreign.map((name) => events.filter(({ type, subject }) => type === 'ObjectAppeared' && subject.endsWith(`/${name}`)).length);
    };
    const valkey = await clusterOn(stage.valkey, { clusterId: stage.clusterId });
    const term = async () => Number(await valkey.command('GET', [`${valkey.tag}:term`]));
    try {
      await make('foreign-1');
      await vi.waitFor(async () => expect(await seen(follower)).toEqual([1, 0, 0]), patience);
      const before = await term();

      leader.kill('SIGSTOP');
      await make('foreign-2');
      await vi.waitFor(async () => expect(await leadership(follower)).toBe('this replica leads'), patience);
      await vi.waitFor(async () => expect(await seen(follower)).toEqual([1, 1, 0]), patience);
      expect(await term()).toBe(before + 1);

      leader.kill('SIGCONT');
      await make('foreign-3');
      await vi.waitFor(async () => expect(await leadership(leader)).toMatch(/^another replica leads/), patience);
      await vi.waitFor(async () => expect(await seen(follower)).toEqual([1, 1, 1]), patience);
      expect(await leadership(follower)).toBe('this replica leads');
      expect(await term()).toBe(before + 1);
    } finally {
      leader.kill('SIGCONT');
      await valkey.stop({ deadline: 1_000 });
    }
    await Promise.all([
      check(
        leader,
        foreign.map((name) => `workspace/${name}`),
      ),
      check(
        follower,
        foreign.map((name) => `workspace/${name}`),
      ),
    ]);
  });

  it('two owners of one projection: one of them stopped in the middle of a load and continued, each event is folded once', async () => {
    const load = Array.from({ length: 60 }, (_, n) => stage.ask('create/user', user(`load-${n}`), { link: n % 2 }));
    steady.kill('SIGCONT');
    other.kill('SIGSTOP');
    await Promise.all(load.slice(0, 30));
    other.kill('SIGCONT');
    expect(new Set((await Promise.all(load)).map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(done.create)]));
    const foreign = ['foreign-1', 'foreign-2', 'foreign-3'].map((name) => `workspace/${name}`);
    await Promise.all([check(steady, foreign), check(other, foreign)]);
  });
});

const user = (name: string) => ({
  name,
  firstName: 'Ann',
  lastName: 'Lee',
  email: `${name}@example.org`,
  subject: { kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' },
});
