import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SandboxControl } from '../../adapters/sandbox/index.ts';
import { workspaces } from '../../domain/kinds.ts';
import { allEvents, checkInvariants, checkObserved } from '../support/invariants/index.ts';
import type { Operator } from '../support/operator/index.ts';
import { noValkey } from '../support/valkey/index.ts';
import { creates, done, persist, type Stage, setStage } from './stage.ts';

const patience = { timeout: 40_000, interval: 50 };
const object = { apiVersion: 'mogenius.com/v1alpha1', kind: 'Workspace', spec: { name: 'foreign', resources: [] } };

describe.skipIf(noValkey)('the API server goes and comes back', () => {
  let stage: Stage;
  let operator: Operator;
  let control: SandboxControl;
  const foreign = new Set<string>();

  beforeAll(async () => {
    stage = await setStage();
    if (!stage.kubernetes.control) throw new Error('this test needs a sandbox');
    control = stage.kubernetes.control;
    operator = await stage.operator({ leaderLease: 1_500 });
  });
  afterEach(() => {
    control?.clearFaults();
    control?.resume();
  });
  afterAll(() => stage?.clear());

  /** Objects of these names are somebody else's. */
  const check = async (names: readonly string[] = []) => {
    for (const name of names) foreign.add(`workspace/${name}`);
    const { cluster, namespace } = stage.kubernetes;
    await checkObserved({ operator, cluster, namespace });
    await checkInvariants({ operator, cluster, namespace, foreign });
  };
  /** Until so many commands of a load are accepted. */
  const accepted = (prefix: string, count: number) =>
    vi.waitFor(async () => {
      const events = await allEvents(operator);
      expect(
        events.filter(({ type, commandid }) => type === 'CommandAccepted' && commandid?.startsWith(`${prefix}-`)).length,
      ).toBeGreaterThanOrEqual(count);
    }, patience);

  it('is paused: commands under way wait for it and are finished once', async () => {
    const load = persist(stage, creates('paused', 40));
    await accepted('paused', 10);
    control.pause();
    // Longer than the claims of the commands and than the Lease of the leader.
    await sleep(3_000);
    control.resume();
    expect(await load).toEqual([]);
    await check();
  });

  it('loses connections, and answers after their effects: each command is carried out once', async () => {
    control.failNext({ count: 15, method: 'POST', path: /workspaces/, afterEffect: true });
    const load = persist(stage, creates('dropped', 40));
    for (let drops = 1; drops <= 5; drops++) {
      await accepted('dropped', drops * 5);
      control.dropConnections();
    }
    expect(await load).toEqual([]);
    await check();
  });

  it('forgot what the watches want to go on from (410): they list anew, and nothing that happened meanwhile is missed', async () => {
    const { cluster, namespace } = stage.kubernetes;
    const make = (name: string) => cluster.create(workspaces, { ...object, metadata: { name, namespace } });
    for (const name of ['changes', 'goes', 'is-replaced']) await make(name);
    await check(['changes', 'goes', 'is-replaced']);
    control.failNext({ count: 1_000, watch: true, code: 503, reason: 'ServiceUnavailable', message: 'not now' });
    control.dropConnections();
    // Our own connection was cut as well; a question is asked again where a change would not be.
    await cluster.version();
    await make('comes');
    await cluster.merge(workspaces, { name: 'changes', namespace }, { spec: { name: 'changed' } });
    await cluster.delete(workspaces, { name: 'goes', namespace });
    await cluster.delete(workspaces, { name: 'is-replaced', namespace });
    await make('is-replaced');
    expect(await stage.ask('create/workspace', creates('gone', 1)[0]?.payload, { id: 'gone-0' })).toEqual(done.create);
    control.compact();
    control.clearFaults();
    await check(['comes']);
  });

  it('is restarted on its port: what was under way is finished, and the watches go on', async () => {
    const load = persist(stage, creates('restarted', 40));
    await accepted('restarted', 10);
    await control.refuse();
    await sleep(2_000);
    await control.accept();
    expect(await load).toEqual([]);
    const { cluster, namespace } = stage.kubernetes;
    await cluster.create(workspaces, { ...object, metadata: { name: 'after-restart', namespace } });
    await check(['after-restart']);
  });
});
