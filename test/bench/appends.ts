import { createValkeyCommandLog, createValkeyEventStore, type Durability, type ValkeyConnection } from '../../adapters/valkey/index.ts';
import type { NewEvent } from '../../domain/event/index.ts';
import { clusterOn, noValkey, valkeyServer } from '../support/valkey/index.ts';

export interface AppendsMeasured {
  readonly durability: Durability;
  readonly inFlight: number;
  /** Per second. */
  readonly raw: number;
  readonly appends: number;
  readonly commands: number;
  readonly ratio: number;
}

const seconds = 2;
// About the size of an acceptance: 500 bytes of data.
const event: NewEvent = {
  type: 'WorkspaceCreated',
  schema: 1,
  time: '2026-01-01T00:00:00.000Z',
  commandid: 'q7KdPzL0aV1mWx',
  data: { pattern: 'create/workspace', payload: { name: 'shop', note: 'x'.repeat(400) } },
};

/** Runs one kind of work with so many at once, and gives how many were done per second. */
async function rate(inFlight: number, work: (n: number) => Promise<unknown>): Promise<number> {
  let n = 0;
  const measure = async (until: number) => {
    const start = performance.now();
    let done = 0;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (performance.now() < until) {
          n += 1;
          await work(n);
          done += 1;
        }
      }),
    );
    return (done / (performance.now() - start)) * 1_000;
  };
  // The first half second is for the compiler.
  await measure(performance.now() + 500);
  return measure(performance.now() + seconds * 1_000);
}

async function measure(connection: ValkeyConnection, durability: Durability, inFlight: number): Promise<AppendsMeasured> {
  const store = createValkeyEventStore(connection);
  const commands = createValkeyCommandLog(connection, { inAll: 1_000_000 });
  const run = `${durability}-${inFlight}`;
  // The same bytes through the same client: what an append puts into the log, without any of its checks.
  const bytes = JSON.stringify({
    s: 'object/bench/1',
    i: `${run}-1/1`,
    t: event.type,
    n: 1,
    w: event.time,
    c: event.commandid,
    d: event.data,
  });
  const raw = await rate(inFlight, (n) => connection.command('XADD', [`${connection.tag}:bench`, '*', 'e', `${n}${bytes}`]));
  const appends = await rate(inFlight, (n) =>
    store.append({ stream: `object/bench/${n % 1_000}`, events: [event], expected: 'any', id: `${run}-${n}` }),
  );
  const pairs = await rate(inFlight, async (n) => {
    const id = `${run}-c${n}`;
    const accepted = await commands.accept({
      command: id,
      aggregate: `workspace/${n % 1_000}-${inFlight}`,
      digest: 'abc',
      event,
      deadline: Date.now() + 60_000,
      claim: { owner: 'bench', lease: 30_000 },
    });
    if (accepted.outcome === 'accepted' && accepted.claim) await commands.finish({ claim: accepted.claim, event });
  });
  return { durability, inFlight, raw, appends, commands: pairs, ratio: appends / raw };
}

/** Conditional, exactly-once appends against bare XADD of the same bytes, and accept and finish as a pair. */
export async function benchAppends(print: (line: string) => void): Promise<readonly AppendsMeasured[]> {
  if (noValkey) {
    print(`appends: skipped, ${noValkey}`);
    return [];
  }
  const results: AppendsMeasured[] = [];
  for (const durability of ['everysec', 'fsync'] as const) {
    const server = await valkeyServer({ appendonly: true, appendfsync: durability === 'fsync' ? 'always' : 'everysec' });
    const connection = await clusterOn(server, { durability });
    try {
      for (const inFlight of [1, 64]) {
        const found = await measure(connection, durability, inFlight);
        results.push(found);
        const n = (value: number) => Math.round(value).toLocaleString('en').padStart(8);
        print(
          `appends ${durability.padEnd(8)} ${String(inFlight).padStart(2)} in flight: XADD ${n(found.raw)}/s, append ${n(found.appends)}/s ` +
            `(ratio ${found.ratio.toFixed(2)}), accept + finish ${n(found.commands)}/s (${server.version})`,
        );
      }
    } finally {
      await connection.stop({ deadline: 0 });
      await server.stop();
    }
  }
  return results;
}
