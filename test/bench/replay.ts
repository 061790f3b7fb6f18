import { createValkeyEventStore, createValkeyViewStore, type ValkeyConnection } from '../../adapters/valkey/index.ts';
import { origin, type RecordedEvent } from '../../domain/event/index.ts';
import { auditLog, commandStatus } from '../../projections/index.ts';
import { createBuilder, createSkips, createSlot } from '../../projections/runner/index.ts';
import { accepted, appeared, noMetrics, silentLog, succeeded } from '../support/projections/index.ts';
import { clusterOn, noValkey, systemClock, valkeyServer } from '../support/valkey/index.ts';

export interface ReplayMeasured {
  readonly events: number;
  /** Bytes of one event in the log, on average. */
  readonly bytes: number;
  /** Events per second of XREAD alone, replies thrown away. */
  readonly bare: number;
  /** Events per second into both views. */
  readonly replay: number;
  readonly ratio: number;
  /** Heap in use behind it, in MB. */
  readonly heap: number;
}

const batch = 250;
const diff =
  '--- mogenius/shop\n+++ mogenius/shop\n@@ -1 +1,9 @@\n+apiVersion: mogenius.com/v1alpha1\n+kind: Workspace\n+metadata:\n+  name: shop\n+  namespace: mogenius\n+spec:\n+  name: The shop\n+  resources: []\n \n';

/** Three events of a command as the pipeline records them: accepted, the object, the outcome. */
function* commands(from: number, count: number): Generator<RecordedEvent> {
  for (let n = from; n < from + count; n++) {
    const id = `q7KdPzL0aV-${n}`;
    const name = `shop-${n % 500}`;
    for (const append of [
      accepted({ id, name, workspace: 'shop' }),
      appeared(id, name, String(n)),
      succeeded(id, { diff, attribution: about(name) }),
    ]) {
      const [event] = append.events;
      if (event) yield { ...event, id: `${append.id}/1`, source: '', stream: append.stream, version: 1, position: origin };
    }
  }
}

const about = (name: string) => ({ kind: 'Workspace', apiVersion: 'mogenius.com/v1alpha1', namespace: 'mogenius', name });

/** Writes as the store does, without its checks: they are measured elsewhere. */
async function fill(connection: ValkeyConnection, from: number, count: number): Promise<number> {
  let bytes = 0;
  let under: Promise<unknown>[] = [];
  for (const { id, type, schema, time, data, commandid, causationid, correlationid, actor, stream } of commands(from, count)) {
    const json = JSON.stringify({
      s: stream,
      i: id,
      t: type,
      n: schema,
      w: time,
      c: commandid,
      a: causationid,
      r: correlationid,
      u: actor,
      d: data,
    });
    bytes += json.length;
    under.push(connection.command('XADD', [`${connection.tag}:log`, '*', 'e', `1${json}`]));
    if (under.length >= 1_000) {
      await Promise.all(under);
      under = [];
    }
  }
  await Promise.all(under);
  return bytes;
}

async function bareRead(connection: ValkeyConnection): Promise<number> {
  const wire = connection.reader('bare');
  await wire.whenUp(AbortSignal.timeout(5_000));
  const start = performance.now();
  let from: unknown = '0-0';
  let events = 0;
  for (;;) {
    const reply = await wire.send('XREAD', ['COUNT', batch, 'STREAMS', `${connection.tag}:log`, String(from)]);
    if (!Array.isArray(reply)) break;
    const entries: unknown = reply[0]?.[1];
    if (!Array.isArray(entries)) break;
    events += entries.length;
    from = entries.at(-1)?.[0];
  }
  const rate = (events / (performance.now() - start)) * 1_000;
  wire.close();
  return rate;
}

/** Replay of the log into the audit log and the command status, both from one pass, against bare XREAD. */
export async function measureReplay(sizes: readonly number[]): Promise<readonly ReplayMeasured[]> {
  const server = await valkeyServer({ appendonly: true });
  const connection = await clusterOn(server);
  const events = createValkeyEventStore(connection);
  const views = createValkeyViewStore(connection);
  const measured: ReplayMeasured[] = [];
  let filled = 0;
  let bytes = 0;
  try {
    for (const size of sizes) {
      const wanted = Math.ceil(size / 3);
      bytes += await fill(connection, filled, wanted - filled);
      filled = wanted;
      const bare = await bareRead(connection);
      const skips = createSkips(silentLog, noMetrics);
      const builder = createBuilder({ events, views, clock: systemClock, log: silentLog, skips, batch, wake: () => {} });
      const slots = [auditLog({ limit: 1_000, ttl: 14 * 86_400_000 }), commandStatus].map((one) => createSlot(one, systemClock));
      const before = await Promise.all(slots.map(({ projection: { name } }) => views.live(name)));
      const fresh = await Promise.all(
        slots.map(async (slot, i) => {
          await views.begin(slot.projection.name, slot.projection.version);
          return { slot, expected: before[i] };
        }),
      );
      const start = performance.now();
      await builder.build(fresh, new AbortController().signal);
      const replay = ((filled * 3) / (performance.now() - start)) * 1_000;
      for (const view of before) if (view) await views.drop(view);
      globalThis.gc?.();
      measured.push({
        events: filled * 3,
        bytes: Math.round(bytes / (filled * 3)),
        bare: Math.round(bare),
        replay: Math.round(replay),
        ratio: Number((replay / bare).toFixed(2)),
        heap: Math.round(process.memoryUsage().heapUsed / 1e6),
      });
    }
    return measured;
  } finally {
    await connection.stop({ deadline: 1_000 });
    await server.stop();
  }
}

export async function benchReplay(
  print: (line: string) => void,
  sizes: readonly number[] = [10_000, 1_000_000],
): Promise<readonly ReplayMeasured[]> {
  if (noValkey) {
    print(`replay: skipped, ${noValkey}`);
    return [];
  }
  const measured = await measureReplay(sizes);
  for (const { events, bytes, bare, replay, ratio, heap } of measured) {
    const n = (value: number) => value.toLocaleString('en').padStart(9);
    print(
      `replay ${n(events)} events of ${bytes} bytes: XREAD ${n(bare)}/s, both views ${n(replay)}/s (ratio ${ratio.toFixed(2)}), heap ${heap} MB`,
    );
  }
  return measured;
}

if (import.meta.main) {
  const sizes = process.argv.slice(2).map(Number);
  await benchReplay((line) => process.stdout.write(`${line}\n`), sizes.length > 0 ? sizes : undefined);
}
