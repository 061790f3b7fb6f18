import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type PipelinePoint, pipelinePoints } from '../../commands/index.ts';
import { workspaces } from '../../domain/kinds.ts';
import { clusters } from '../support/cluster/index.ts';
import { checkInvariants } from '../support/invariants/index.ts';
import type { Operator } from '../support/operator/index.ts';
import { noValkey } from '../support/valkey/index.ts';
import { done, frame, type Stage, setStage } from './stage.ts';

const spec = z.looseObject({ name: z.string() });
const verbs = ['create', 'update', 'delete'] as const;
type Verb = (typeof verbs)[number];

/** A step is recorded before a delete alone: what it deletes can't carry the command's id. */
const verbsAt = (point: PipelinePoint): readonly Verb[] => (point === 'before-record' || point === 'recorded' ? ['delete'] : verbs);
const idOf = (point: PipelinePoint, verb: Verb) => `${point}-${verb}`;
const nameOf = (point: PipelinePoint, verb: Verb) => `${verb}-${point}`;
const effectIsDone = (point: PipelinePoint) => pipelinePoints.indexOf(point) >= pipelinePoints.indexOf('after-effect');
const signalAt = (point: PipelinePoint) =>
  `${point} SIGKILL ${verbsAt(point)
    .map((verb) => idOf(point, verb))
    .join()}`;

describe.skipIf(noValkey).each(clusters)('SIGKILL at each point of the pipeline, on $name', ({ missing, open }) => {
  describe.skipIf(missing)('of a create, an update and a delete', () => {
    let stage: Stage;
    /** Runs, and dies at `armed`. */
    let operator: Operator;
    let armed: PipelinePoint | undefined;
    const foreign = new Set<string>();

    const arm = async (point: PipelinePoint | undefined) => {
      operator = await stage.operator({ leaderLease: 1_000, ...(point ? { signalAt: signalAt(point) } : {}) });
      armed = point;
    };
    const payload = (name: string, displayName: string) => ({ name, displayName, resources: [] });
    const requestOf = (point: PipelinePoint, verb: Verb): readonly [string, unknown] => [
      `${verb}/workspace`,
      verb === 'delete' ? { name: nameOf(point, verb) } : payload(nameOf(point, verb), verb),
    ];
    const displayNameOf = async (name: string) => {
      const object = await stage.kubernetes.cluster.get(workspaces, { name, namespace: stage.kubernetes.namespace });
      return object && spec.parse(object.spec).name;
    };

    beforeAll(async () => {
      stage = await setStage({ openCluster: open });
      await arm(pipelinePoints[0]);
      const before = pipelinePoints.flatMap((point) => verbsAt(point).flatMap((verb) => (verb === 'create' ? [] : [nameOf(point, verb)])));
      const answers = await Promise.all(before.map((name) => stage.ask('create/workspace', payload(name, 'before'))));
      expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(done.create)]));
    });
    afterAll(() => stage?.clear());

    it.each(pipelinePoints)('%s: one effect, one outcome, one answer', async (point) => {
      if (armed !== point) await arm(point);
      const { cluster, namespace } = stage.kubernetes;
      const sent = verbsAt(point);
      for (const verb of sent) stage.platform.raw(frame(idOf(point, verb), ...requestOf(point, verb)));
      await expect(operator.ended, operator.output()).resolves.toEqual({ code: null, signal: 'SIGKILL' });

      const after = effectIsDone(point);
      const effects = { create: after ? 'create' : undefined, update: after ? 'update' : 'before', delete: after ? undefined : 'before' };
      for (const verb of sent) expect(await displayNameOf(nameOf(point, verb)), `${verb}, when the process is dead`).toBe(effects[verb]);
      const answered = stage.platform.strangers.all.flatMap((one) =>
        typeof one === 'string' ? [] : [{ id: one.id, payload: one.payload }],
      );
      for (const verb of sent) {
        const told = answered.filter(({ id }) => id === idOf(point, verb)).map(({ payload }) => payload);
        expect(told, `${verb}, what the caller got`).toEqual(point === 'replied' ? [done[verb]] : []);
      }

      // Somebody else changes what the command did: doing it a second time would destroy that.
      if (after) {
        for (const verb of sent) {
          const name = nameOf(point, verb);
          foreign.add(`workspace/${name}`);
          if (verb !== 'delete') await cluster.merge(workspaces, { name, namespace }, { spec: { name: 'foreign' } });
          else {
            const spec = { name: 'foreign', resources: [] };
            await cluster.create(workspaces, {
              apiVersion: 'mogenius.com/v1alpha1',
              kind: 'Workspace',
              metadata: { name, namespace },
              spec,
            });
          }
        }
      }

      await arm(pipelinePoints[pipelinePoints.indexOf(point) + 1]);
      for (const round of ['first', 'second']) {
        const answers = await Promise.all(sent.map((verb) => stage.ask(...requestOf(point, verb), { id: idOf(point, verb) })));
        expect(answers, `the ${round} repetition`).toEqual(sent.map((verb) => done[verb]));
      }
      const left = { create: 'create', update: 'update', delete: undefined };
      for (const verb of sent) expect(await displayNameOf(nameOf(point, verb)), `${verb}, in the end`).toBe(after ? 'foreign' : left[verb]);
      await checkInvariants({ operator, cluster, namespace, foreign });
    });
  });
});
