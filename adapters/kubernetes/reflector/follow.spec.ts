import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClusterRefused } from '../../../domain/errors.ts';
import type { ObjectChange, Reflector, StoredObject } from '../../../domain/ports/index.ts';
import { type CapturedLog, captureLog } from '../../../test/support/captured-log/index.ts';
import { createFakeClock, type FakeClock, settle } from '../../../test/support/fake-clock/index.ts';
import { follow } from './follow.ts';
import type { ListWatch } from './list-watch.ts';

const object = (name: string, resourceVersion: string): StoredObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion, creationTimestamp: 'x' },
});

let clock: FakeClock;
let log: CapturedLog;
let ends: AbortController;
let chunks: string[][];
let wake: () => void;
beforeEach(() => {
  clock = createFakeClock();
  log = captureLog();
  ends = new AbortController();
  chunks = [];
});
afterEach(() => ends.abort(new Error('the test is over')));

/** A watch whose chunks are what `push` gives, one at a time and only when asked for. */
const push = (...lines: string[]) => {
  chunks.push(lines);
  wake?.();
};
const source = (more: Partial<ListWatch> = {}): ListWatch => ({
  list: async () => ({ items: [object('a', '1')], resourceVersion: '10' }),
  async watch({ signal }) {
    return (async function* () {
      for (;;) {
        const [next] = chunks.splice(0, 1);
        if (next !== undefined) yield Buffer.from(`${next.join('\n')}\n`);
        else
          await new Promise<void>((resolve, reject) => {
            wake = resolve;
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          });
      }
    })();
  },
  line: (text) => {
    const [name = '', version = ''] = text.split('@');
    return { type: 'MODIFIED', object: object(name, version) };
  },
  ...more,
});

function start(handle: (changes: readonly ObjectChange[]) => Promise<void>, more: Partial<ListWatch> = {}): Reflector {
  return follow({ name: 'v1 configmaps', source: source(more), clock, log, silence: 100_000, signal: ends.signal, handle });
}
const brief = (changes: readonly ObjectChange[]) =>
  changes.map(({ type, object: { metadata } }) => `${type} ${metadata.name}@${metadata.resourceVersion}`).join(' ');

describe('a handler', () => {
  test('that throws is reported and gets the same batch again after a pause, and nothing newer before', async () => {
    const batches: string[] = [];
    let failures = 2;
    const reflector = start(async (changes) => {
      batches.push(brief(changes));
      if (changes[0]?.type === 'changed' && failures-- > 0) throw new Error('the log is away');
    });
    await settle();
    push('a@11');
    push('a@12');
    await settle();
    expect(reflector.status()).toMatchObject({ state: 'failing', reason: 'the log is away', synced: true });
    expect(log.lines.at(-1)).toBe(
      'error changes of v1 configmaps were not handled, they are delivered again {"reason":"the log is away","changes":1}',
    );
    await clock.advance(750);
    await clock.advance(1_500);
    expect(batches).toEqual(['appeared a@1', 'changed a@11', 'changed a@11', 'changed a@11', 'changed a@12']);
    expect(reflector.status()).toMatchObject({ state: 'watching' });
  });

  test('that is slow gets one batch at a time, is not taken for silence of the server, and what came meanwhile is not read', async () => {
    const batches: string[] = [];
    let free = () => {};
    const reflector = start(async (changes) => {
      batches.push(brief(changes));
      if (batches.length === 2) await new Promise<void>((resolve) => (free = resolve));
    });
    await settle();
    push('a@11', 'b@12');
    push('a@13');
    await settle();
    await clock.advance(350_000);
    expect(batches).toEqual(['appeared a@1', 'changed a@11 appeared b@12']);
    expect([chunks.length, reflector.status().state]).toEqual([1, 'watching']);
    free();
    await settle();
    expect(batches.at(-1)).toBe('changed a@13');
  });
});

describe('a list', () => {
  test('that is refused is tried again, and who waits for the first one gets it', async () => {
    let refusals = 1;
    const reflector = start(async () => undefined, {
      async list() {
        if (refusals-- > 0) throw ClusterRefused({ status: 403, reason: 'Forbidden', message: 'configmaps is forbidden' });
        return { items: [], resourceVersion: '1' };
      },
    });
    const synced = reflector.synced(new AbortController().signal);
    await settle();
    expect(reflector.status()).toEqual({ state: 'failing', reason: 'configmaps is forbidden', synced: false, objects: 0 });
    await clock.advance(750);
    await synced;
    expect(reflector.status()).toMatchObject({ state: 'watching', synced: true });
  });

  test('nobody waits longer than the own signal', async () => {
    const reflector = start(async () => undefined, { list: () => new Promise(() => undefined) });
    const own = new AbortController();
    const waiting = expect(reflector.synced(own.signal)).rejects.toThrow('enough');
    own.abort(new Error('enough'));
    await waiting;
  });

  test('synced stays true while it fails later', async () => {
    const reflector = start(async () => undefined, {
      watch: async () => {
        throw ClusterRefused({ status: 500, reason: 'InternalError', message: 'broken' });
      },
    });
    await settle();
    expect(reflector.status()).toMatchObject({ state: 'failing', synced: true, objects: 1 });
  });
});
