import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { allEvents, checkInvariants, checkObserved } from '../support/invariants/index.ts';
import type { Operator } from '../support/operator/index.ts';
import { noValkey } from '../support/valkey/index.ts';
import { creates, done, persist, type Stage, setStage } from './stage.ts';

const patience = { timeout: 60_000, interval: 50 };
const seed = 20_261_201;
const auditEvent = z.looseObject({ requestId: z.string(), seq: z.number(), bootId: z.string() });
const clusterEvent = z.object({
  eventType: z.enum(['add', 'update', 'delete']),
  resource: z.looseObject({ kind: z.string(), name: z.string(), resourceVersion: z.string() }),
});

describe.skipIf(noValkey)('the platform', () => {
  let stage: Stage;
  let operator: Operator;

  beforeAll(async () => {
    stage = await setStage({ platform: { kept: 60_000 } });
    operator = await stage.operator({ leaderLease: 1_500, lease: 10_000 });
    await stage.platform.connected('api', 2);
    await stage.platform.connected('events', 1);
  });
  afterAll(() => stage?.clear());

  const check = async () => {
    const { cluster, namespace } = stage.kubernetes;
    await checkObserved({ operator, cluster, namespace });
    return checkInvariants({ operator, cluster, namespace });
  };
  const pushed = (pattern: string) => stage.platform.pushed.all.filter((one) => one.pattern === pattern).map(({ payload }) => payload);

  it('is gone for a while: what was asked is answered on the next connection, what happened meanwhile is told in order', async () => {
    const { platform, kubernetes } = stage;
    await persist(stage, creates('before', 3));
    kubernetes.control?.pause();
    const waiting = creates('asked', 6).map(({ id, pattern, payload }, n) => stage.ask(pattern, payload, { id, link: n % 2 }));
    await vi.waitFor(async () => {
      const begun = (await allEvents(operator)).filter(
        ({ type, commandid }) => type === 'CommandAccepted' && commandid?.startsWith('asked-'),
      );
      expect(begun).toHaveLength(6);
    }, patience);
    platform.refuse(true);
    for (let open = platform.open('api'); open > 0; open--) platform.drop(0);
    platform.drop(0, 'events');
    kubernetes.control?.resume();
    for (const { id, pattern, payload } of creates('meanwhile', 10)) {
      expect(await operator.post('/api/v1/commands', { id, pattern, payload })).toMatchObject({ status: 200 });
    }
    platform.refuse(false);

    expect(await Promise.all(waiting)).toEqual(waiting.map(() => done.create));
    await platform.connected('events', 1);
    await vi.waitFor(() => {
      const told = new Set(pushed('AuditLogEvent').map((payload) => auditEvent.parse(payload).requestId));
      expect([...creates('before', 3), ...creates('asked', 6), ...creates('meanwhile', 10)].filter(({ id }) => !told.has(id))).toEqual([]);
    }, patience);
    const events = await check();
    expectInOrder(events.flatMap(({ type, commandid }) => (type === 'CommandSucceeded' && commandid ? [commandid] : [])));
  });

  /** Audit entries come in the order of their outcomes, numbered without a gap; what comes twice has the same number. Changes of one object come in order. */
  function expectInOrder(outcomes: readonly string[]): void {
    const audit = pushed('AuditLogEvent').map((payload) => auditEvent.parse(payload));
    const first = new Map(audit.toReversed().map(({ bootId, seq, requestId }) => [`${bootId}/${seq}`, { bootId, seq, requestId }]));
    const entries = [...first.values()].toReversed();
    for (const boot of new Set(entries.map(({ bootId }) => bootId))) {
      const numbers = entries.filter(({ bootId }) => bootId === boot).map(({ seq }) => seq);
      expect(numbers).toEqual(numbers.map((_, n) => n + 1));
    }
    const told = entries.map(({ requestId }) => requestId);
    expect(told).toEqual(outcomes.filter((id) => told.includes(id)));

    const newest = new Map<string, number>();
    for (const payload of pushed('ClusterEvent')) {
      const { resource } = clusterEvent.parse(payload);
      const key = `${resource.kind}/${resource.name}`;
      expect(Number(resource.resourceVersion)).toBeGreaterThanOrEqual(newest.get(key) ?? 0);
      newest.set(key, Number(resource.resourceVersion));
    }
  }

  it('sends requests twice and in another order on different links: each is carried out once and always answered alike', async () => {
    let run = 0;
    const sending = fc.record({ command: fc.nat(4), link: fc.nat(1) });
    await fc.assert(
      fc.asyncProperty(fc.array(sending, { minLength: 5, maxLength: 20 }), async (order) => {
        const plans = creates(`twice-${run++}`, 5);
        const answers = await Promise.all(
          order.map(async ({ command, link }) => {
            const { id = '', pattern = '', payload } = plans[command] ?? {};
            return stage.ask(pattern, payload, { id, link });
          }),
        );
        expect(answers).toEqual(order.map(() => done.create));
      }),
      { seed, numRuns: 25 },
    );
    await check();
  });

  it('sends 10,000 random frames: every readable id is answered, and nothing else happens', async () => {
    const { platform } = stage;
    const before = platform.strangers.count + platform.repeats.count;
    const ids = new Set<string>();
    let n = 0;
    for (const frame of fc.sample(frames, { seed, numRuns: 10_000 })) {
      const id = `random-${n++}`;
      const text = typeof frame === 'string' ? frame : JSON.stringify({ ...frame, id });
      if (typeof frame !== 'string') ids.add(id);
      platform.raw(text, n % 2);
      // The peer is not to be drowned: so many wait at most.
      if (n % 500 === 0) await stage.ask('describe', null, { link: n % 2 });
    }
    const answered = () => new Set(platform.strangers.all.flatMap((one) => (typeof one === 'string' ? [] : [one.id])));
    await vi.waitFor(() => {
      const got = answered();
      expect([...ids].filter((id) => !got.has(id))).toEqual([]);
    }, patience);
    expect(ids.size).toBeGreaterThan(3_000);
    expect(platform.strangers.all.filter((one) => typeof one === 'string')).toEqual([]);
    expect(before).toBeLessThan(platform.strangers.count);
    expect(operator.child.exitCode).toBeNull();
    expect(operator.output()).not.toContain('a request failed');
    expect(await stage.ask('create/workspace', creates('sane', 1)[0]?.payload, { id: 'sane-0' })).toEqual(done.create);
    await check();
  });

  it('2,000 random requests to the HTTP API: each is answered, none with an error of ours', async () => {
    const [, port = ''] = operator.http.split('127.0.0.1:');
    const statuses = new Map<number, number>();
    const left = [...fc.sample(calls, { seed, numRuns: 2_000 })];
    let n = 0;
    const one = async () => {
      for (let call = left.pop(); call; call = left.pop()) {
        // Each from an address of its own: one caller would soon be asked to slow down.
        const status = await send({
          ...call,
          port: Number(port),
          localAddress: process.platform === 'linux' ? `127.0.1.${(n++ % 200) + 1}` : '127.0.0.1',
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 8 }, one));
    expect([...statuses].filter(([status]) => status >= 500)).toEqual([]);
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(2_000);
    expect(operator.child.exitCode).toBeNull();
    await check();
  });
});

const patterns = fc.constantFrom(
  'describe',
  'get/workspaces',
  'get/workspace',
  'create/workspace',
  'update/user',
  'delete/grant',
  'audit-log/list',
  '__proto__',
);
const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary', maxLength: 200 }));
const fields = fc.record(
  { name: junk, displayName: junk, resources: junk, namespace: junk, limit: junk, offset: junk, email: junk },
  { requiredKeys: [] },
);
/** Objects get an id of their own; texts go as they are, and nobody can be answered for most of them. */
const frames = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.json({ maxDepth: 2 }).filter((text) => !text.includes('"id"')),
  fc.record({ pattern: fc.oneof(patterns, fc.string({ maxLength: 40 })), payload: fc.oneof(fields, junk) }, { requiredKeys: ['pattern'] }),
  fc.record(
    {
      pattern: fc.oneof(patterns, junk),
      payload: fc.oneof(fields, junk),
      user: fc.oneof(junk, fc.record({ email: junk, apiKey: junk }, { requiredKeys: [] })),
      workspace: junk,
      zlib: fc.oneof(fc.boolean(), junk),
      username: junk,
    },
    { requiredKeys: ['pattern'] },
  ),
);

const paths = fc.oneof(
  fc.constantFrom(
    '/',
    '/status',
    '/socketapi',
    '/api/v1/commands',
    '/api/v1/events?limit=5',
    '/api/v1/events/1-1',
    '/api/v1/audit-log',
    '/api/v1/workspaces',
    '/api/v1/parked',
    '/api/v1/projections',
    '/api/v1/projections/none/verify',
  ),
  fc
    .tuple(
      fc.constantFrom('/api/v1/commands/', '/api/v1/workspaces/', '/api/v1/events?after=', '/api/v1/audit-log?limit=', '/'),
      fc.string({ maxLength: 40 }),
    )
    .map(([start, rest]) => start + encodeURIComponent(rest)),
  fc.webPath().map((path) => `/${path}`),
);
const calls = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
  path: paths,
  type: fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', 'application/x-www-form-urlencoded', ''),
  body: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.json({ maxDepth: 2 }),
    fc.record({ pattern: fc.oneof(patterns, junk), payload: fc.oneof(fields, junk) }).map((body) => JSON.stringify(body)),
  ),
});

interface Call {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly port: number;
  readonly localAddress: string;
}

/** The status of the answer. Rejects when the connection breaks instead. */
function send({ method, path, type, body, port, localAddress }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: '127.0.0.1', port, localAddress, method, path, headers: type ? { 'content-type': type } : {} },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(method === 'GET' || method === 'OPTIONS' ? undefined : body);
  });
}
