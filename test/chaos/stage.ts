import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { createStandInPlatform, type StandInOptions, type StandInPlatform } from '../../adapters/stand-in/index.ts';
import { sandboxCluster, type TestCluster } from '../support/cluster/index.ts';
import { type Operator, type OperatorOptions, startOperator } from '../support/operator/index.ts';
import { type ValkeyServer, type ValkeyServerOptions, valkeyServer } from '../support/valkey/index.ts';

/** A Valkey, a Kubernetes API and a platform, and the operators a test starts between them. */
export interface Stage {
  readonly valkey: ValkeyServer;
  readonly kubernetes: TestCluster;
  readonly platform: StandInPlatform;
  readonly clusterId: string;
  /** Starts an operator and waits until it is ready and linked. */
  operator(more?: Partial<OperatorOptions>): Promise<Operator>;
  /** Sends a request through the platform and gives the payload of its answer. */
  ask(pattern: string, payload: unknown, how?: { readonly id?: string; readonly link?: number }): Promise<unknown>;
  /** Ends everything. */
  clear(): Promise<void>;
}

export async function setStage(
  how: {
    readonly valkey?: ValkeyServerOptions;
    readonly platform?: StandInOptions;
    readonly openCluster?: (prefix: string) => Promise<TestCluster>;
  } = {},
): Promise<Stage> {
  const { openCluster = sandboxCluster } = how;
  const [valkey, kubernetes] = await Promise.all([valkeyServer(how.valkey), openCluster('chaos')]);
  const platform = createStandInPlatform(how.platform);
  await platform.start(AbortSignal.timeout(10_000));
  const clusterId = `chaos-${randomUUID()}`;
  const operators = new Set<Operator>();
  return {
    valkey,
    kubernetes,
    platform,
    clusterId,
    async operator(more = {}) {
      const operator = await startOperator({
        kubeconfig: kubernetes.kubeconfig,
        valkey: `${valkey.host}:${valkey.port}`,
        namespace: kubernetes.namespace,
        clusterId,
        platform,
        ...more,
      });
      operators.add(operator);
      await platform.connected('api', 1);
      return operator;
    },
    async ask(pattern, payload, more = {}) {
      const { datagram } = await platform.send(pattern, payload, { timeout: 60_000, ...more });
      return datagram.payload;
    },
    async clear() {
      valkey.continue();
      // Killed: stopping cleanly is another test's matter, and the stage is gone anyway.
      for (const operator of operators) operator.kill('SIGKILL');
      await Promise.all([...operators].map(({ ended }) => ended));
      // Each on its own: a test may have left one of them unreachable, and the others would stay behind.
      const ends = await Promise.allSettled([platform.stop({ deadline: 1_000 }), kubernetes.stop(), valkey.stop()]);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
  };
}

export interface Planned {
  readonly id: string;
  readonly pattern: string;
  readonly payload: unknown;
}

const refusal = z.looseObject({ status: z.literal('error'), statusCode: z.number(), message: z.string() });

/**
 * Sends each request again under the same id until it is answered with success, as the platform would. Gives the codes of the answers that were
 * none: `0` for no answer.
 */
export async function persist(
  stage: Stage,
  plans: readonly Planned[],
  how: { readonly inFlight?: number } = {},
): Promise<readonly number[]> {
  const codes: number[] = [];
  const left = [...plans];
  const one = async () => {
    for (let plan = left.shift(); plan; plan = left.shift()) {
      for (;;) {
        const answer = await stage.ask(plan.pattern, plan.payload, { id: plan.id }).catch(() => undefined);
        const { data } = refusal.safeParse(answer);
        if (answer !== undefined && data === undefined) break;
        codes.push(data?.statusCode ?? 0);
        await setTimeout(100);
      }
    }
  };
  await Promise.all(Array.from({ length: how.inFlight ?? 8 }, one));
  return codes;
}

export const creates = (prefix: string, count: number): readonly Planned[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${prefix}-${n}`,
    pattern: 'create/workspace',
    payload: { name: `${prefix}-${n}`, displayName: prefix, resources: [] },
  }));

/** A datagram as text, for requests that nobody will answer. */
export const frame = (id: string, pattern: string, payload: unknown): string =>
  JSON.stringify({ id, pattern, payload, user: { email: 'ann@example.org', apiKey: {} } });

export const done = {
  create: { status: 'success', message: 'Resource created successfully', data: '' },
  update: { status: 'success', message: 'Resource updated successfully', data: '' },
  delete: { status: 'success', message: 'Resource deleted successfully', data: '' },
} as const;
