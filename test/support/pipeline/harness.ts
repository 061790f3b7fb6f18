import { z } from 'zod';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createSealer } from '../../../adapters/seal/index.ts';
import { createPipeline, type Pipeline, type PipelineOptions } from '../../../commands/index.ts';
import { type CommandContext, command, createRegistry, query, required, text } from '../../../commands/registry/index.ts';
import { ClusterUnavailable } from '../../../domain/errors.ts';
import { origin } from '../../../domain/event/index.ts';
import type { Cluster, CommandLog, Directory, Log, Metrics, Request, Session } from '../../../domain/ports/index.ts';

/** What the commands of the harness did to the world: effects by command id, in order. */
export interface World {
  readonly effects: { readonly command: string; readonly name: string; readonly value: string }[];
  /** Runs inside the handler before its effect. */
  before: (context: CommandContext, request: { name: string; value: string }) => Promise<void>;
}

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, component: () => quiet };
const noMetrics: Metrics = { counter: () => ({ add() {} }), gauge: () => ({ set() {} }), histogram: () => ({ observe() {} }) };

const unreachable = async (): Promise<never> => {
  throw ClusterUnavailable({ reason: 'this test has none' });
};
const noCluster: Cluster = {
  get: unreachable,
  list: unreachable,
  create: unreachable,
  replace: unreachable,
  merge: unreachable,
  apply: unreachable,
  delete: unreachable,
  discover: unreachable,
  version: unreachable,
  reviewToken: unreachable,
};
const noDirectory: Directory = { get: () => undefined, list: () => [], complete: () => true, caughtUp: async () => 'current' };

/** A command whose effect is an entry in `world`, keyed by the command's id as a real target would be; and a query. */
export function testPatterns(world: World) {
  const put = command({
    pattern: 'test/put',
    request: z.object({ name: required(), value: z.string(), password: z.string().optional() }),
    response: text('Stored'),
    deadline: 5_000,
    audit: ({ name }) => ({ kind: 'Thing', name }),
    aggregate: ({ name }) => `thing/${name}`,
    async handle(request, context) {
      await world.before(context, request);
      context.signal.throwIfAborted();
      if (!world.effects.some((done) => done.command === context.command.id)) {
        world.effects.push({ command: context.command.id, name: request.name, value: request.value });
      }
      return { result: `Stored ${request.value}` };
    },
  });
  const reveal = command({
    pattern: 'test/reveal',
    request: z.object({ name: required() }),
    response: z.object({ password: z.string() }),
    deadline: 5_000,
    audit: false,
    aggregate: ({ name }) => `thing/${name}`,
    handle: async () => ({ result: { password: 'CANARY-RESULT' } }),
  });
  const explode = command({
    pattern: 'test/explode',
    request: z.object({ name: required() }),
    response: z.array(z.string()),
    deadline: 5_000,
    audit: false,
    aggregate: ({ name }) => `thing/${name}`,
    handle: async () => {
      throw new TypeError('a bug of ours');
    },
  });
  const count = query({ pattern: 'test/count', request: z.object({}), response: z.int(), answer: () => world.effects.length });
  const needsUser = query({ pattern: 'test/needs-user', request: z.object({}), response: z.int(), needsUser: true, answer: () => 1 });
  return createRegistry([put, reveal, explode, count, needsUser]);
}

/** Redacts the field `password`, which is enough for these commands. */
const audit: PipelineOptions['audit'] = {
  redact(value) {
    if (typeof value !== 'object' || value === null || !('password' in value) || !value.password) return value;
    return { ...value, password: '***[REDACTED]***' };
  },
  describe: () => ({}),
};

export const newWorld = (): World => ({ effects: [], before: async () => undefined });

/** A pipeline on any command log. */
export function pipelineOn(commandLog: CommandLog, world: World, more: Partial<PipelineOptions> = {}): Pipeline {
  return createPipeline({
    registry: testPatterns(world),
    commandLog,
    sealer: createSealer(new Uint8Array(32).fill(9)),
    audit,
    metrics: noMetrics,
    waitFor: async () => undefined,
    owner: 'one',
    concurrency: 8,
    lease: 2_000,
    maxAttempts: 3,
    ports: {
      cluster: noCluster,
      directory: noDirectory,
      auditLog: { one: async () => undefined, list: async () => ({ entries: [], total: 0 }) },
      clock: systemClock,
      log: quiet,
      ownNamespace: 'mogenius',
    },
    ...more,
  });
}

export const newSession = (): Session => ({ position: origin });

export function request(id: string, pattern: string, payload: unknown, more: Partial<Request> = {}): Request {
  return { id, pattern, payload, actor: { source: 'platform', email: 'ann@example.org' }, receivedAt: Date.now(), ...more };
}
