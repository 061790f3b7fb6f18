import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { createStandInPlatform, type StandInPlatform } from '../../adapters/stand-in/index.ts';
import { createValkeyEventStore } from '../../adapters/valkey/index.ts';
import { workspaces } from '../../domain/kinds.ts';
import { clusterMissing, testCluster } from '../support/cluster/index.ts';
import { type Operator, startOperator } from '../support/operator/index.ts';
import { accepted, succeeded } from '../support/projections/index.ts';
import { clusterOn, noValkey, type ValkeyServer, valkeyServer } from '../support/valkey/index.ts';

type Print = (line: string) => void;

const root = resolve(import.meta.dirname, '../..');
const sequential = 500;
const parallel = 3_000;
const inFlight = 16;

/** The operator from dist/ on a real API server: round trips, memory, event loop, start with a long log. Prints each beside its bar. */
export async function benchOperator(print: Print): Promise<void> {
  const missing = noValkey ?? clusterMissing;
  if (missing) return print(`operator: skipped, ${missing}`);
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'ignore' });
  const valkey = await valkeyServer({ appendonly: true });
  const at = await testCluster('bench');
  const platform = createStandInPlatform();
  await platform.start(AbortSignal.timeout(10_000));
  const start = (clusterId: string) =>
    startOperator({
      kubeconfig: at.kubeconfig,
      valkey: `${valkey.host}:${valkey.port}`,
      namespace: at.namespace,
      clusterId,
      platform,
      // As bin/mogenius-operator starts it.
      program: ['--max-semi-space-size=2', join(root, 'dist/main.mjs'), 'cluster'],
    });
  try {
    const operator = await start(randomUUID());
    await platform.connected('api', 2);
    await idle(operator, print);
    const bare = await bareWrites();
    print(
      `bare POST of a workspace:             p50 ${ms(bare.times, 0.5)} ms, p99 ${ms(bare.times, 0.99)} ms, ${inFlight} in flight ${bare.rate.toFixed(0)}/s`,
    );
    await roundTrips(bare, platform, print);
    await load(bare, operator, platform, print);
    await operator.stop();
    await longLog(valkey, start, print);
  } finally {
    await platform.stop({ deadline: 1_000 });
    await at.stop();
    await valkey.stop();
  }
}

interface Bare {
  readonly times: readonly number[];
  /** Per second. */
  readonly rate: number;
}

/** What the API server alone takes, by the same client, in a namespace that the operator does not watch. */
async function bareWrites(): Promise<Bare> {
  const at = await testCluster('bench-bare');
  const write = (name: string) =>
    at.cluster.create(workspaces, {
      apiVersion: 'mogenius.com/v1alpha1',
      kind: 'Workspace',
      metadata: { name, namespace: at.namespace },
      spec: { resources: [{ id: 'shop', type: 'namespace' }] },
    });
  const times = await timed(sequential, (n) => write(`bare-${n}`));
  const rate = await rateOf((n) => write(`bare-parallel-${n}`));
  await at.stop();
  return { times, rate };
}

/** Per second, so many in flight. */
async function rateOf(one: (n: number) => Promise<unknown>): Promise<number> {
  let n = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (n < parallel) await one(n++);
    }),
  );
  return (parallel / (performance.now() - begun)) * 1_000;
}

async function roundTrips({ times: bare }: Bare, platform: StandInPlatform, print: Print): Promise<void> {
  const ours = await timed(sequential, (n) => create(platform, `ours-${n}`));
  const read = await timed(sequential, async (n) => {
    await create(platform, `read-${n}`);
    const { datagram } = await platform.send('get/workspace', { name: `read-${n}` });
    if (!JSON.stringify(datagram.payload).includes(`"read-${n}"`))
      throw new Error(`read-${n} was not read back: ${JSON.stringify(datagram.payload)}`);
  });
  print(
    `create/workspace over WebSocket:      p50 ${ms(ours, 0.5)} ms, p99 ${ms(ours, 0.99)} ms (bars 2.5 and 15; ${(quantile(ours, 0.5) / quantile(bare, 0.5)).toFixed(2)} of the bare POST)`,
  );
  print(`create, then get of the same:         p50 ${ms(read, 0.5)} ms, p99 ${ms(read, 0.99)} ms (own writes read every time)`);
}

async function load(bare: Bare, operator: Operator, platform: StandInPlatform, print: Print): Promise<void> {
  const rate = await rateOf((n) => create(platform, `load-${n}`));
  const metrics = await metricsOf(operator);
  print(`create/workspace, ${inFlight} in flight:       ${rate.toFixed(0)}/s (bar 900; ${(rate / bare.rate).toFixed(2)} of the bare POST)`);
  print(
    `event loop delay under load:          p99 ${((metrics.get('nodejs_eventloop_lag_p99_seconds') ?? Number.NaN) * 1_000).toFixed(0)} ms (bar 50)`,
  );
  print(`resident memory under load:           ${mb(metrics)} MB`);
}

async function idle(operator: Operator, print: Print): Promise<void> {
  print(`resident memory idle, from dist/:     ${mb(await metricsOf(operator))} MB (bar 120)`);
}

/** Start to ready with 10^5 events of commands in the log, the views folded once before. */
async function longLog(valkey: ValkeyServer, start: (clusterId: string) => Promise<Operator>, print: Print): Promise<void> {
  const connection = await clusterOn(valkey);
  const events = createValkeyEventStore(connection);
  const commands = 50_000;
  for (let n = 0; n < commands; n += 250) {
    await events.appendAll(Array.from({ length: 250 }, (_, i) => `bench-${n + i}`).flatMap((id) => [accepted({ id }), succeeded(id)]));
  }
  const { clusterId } = connection;
  await connection.stop({ deadline: 1_000 });
  for (const what of ['first start, views to be built', 'start, views there']) {
    const begun = performance.now();
    const operator = await start(clusterId);
    const line = `${what}, ${2 * commands} events:`.padEnd(54);
    print(`${line}ready after ${((performance.now() - begun) / 1_000).toFixed(2)} s (bar 2 s)`);
    await operator.stop();
  }
}

async function create(platform: StandInPlatform, name: string): Promise<void> {
  const { datagram } = await platform.send('create/workspace', { name, resources: [{ id: 'shop', type: 'namespace' }] });
  const { payload } = datagram;
  if (typeof payload !== 'object' || payload === null || !('status' in payload) || payload.status !== 'success')
    throw new Error(JSON.stringify(payload));
}

async function timed(count: number, one: (n: number) => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    await one(n);
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b);
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
const ms = (sorted: readonly number[], share: number): string => quantile(sorted, share).toFixed(2);
const mb = (metrics: ReadonlyMap<string, number>): string =>
  ((metrics.get('process_resident_memory_bytes') ?? Number.NaN) / 1e6).toFixed(0);

async function metricsOf({ http }: Operator): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${http}/metrics`)).text();
  return new Map(
    text
      .split('\n')
      .flatMap((line) =>
        line === '' || line.startsWith('#')
          ? []
          : [[line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))] as const],
      ),
  );
}
