import { afterEach, describe, expect, test } from 'vitest';
import { lineCutter } from '../../adapters/kubernetes/reflector/lines.ts';
import { isGone, listWatch } from '../../adapters/kubernetes/reflector/list-watch.ts';
import { createTransport } from '../../adapters/kubernetes/transport.ts';
import { configMaps } from '../../domain/kinds.ts';
import { type ApiDouble, statusOf } from '../support/api-double/index.ts';
import { captureLog } from '../support/captured-log/index.ts';
import { clusterMissing, testCluster } from '../support/cluster/index.ts';
import { createFakeClock } from '../support/fake-clock/index.ts';
import { configMap, listOf, type ReflectorOnDouble, reflectorOnDouble } from '../support/reflector/index.ts';

const gone = statusOf(410, 'Expired', 'too old resource version: 100 (500)');

/** First a, b and c; after the compaction a as it was, b made anew, d new. */
function compacted(): ApiDouble['answer'] {
  let lists = 0;
  return () => {
    lists += 1;
    return lists === 1
      ? listOf('100', [configMap('a', '10'), configMap('b', '20'), configMap('c', '30')])
      : listOf('500', [configMap('a', '10'), configMap('b', '420', 'uid-b-2'), configMap('d', '430')]);
  };
}
const expected = ['appeared a initial', 'appeared b initial', 'appeared c initial', 'vanished b', 'appeared b', 'appeared d', 'vanished c'];

describe('410', () => {
  let on: ReflectorOnDouble;
  afterEach(() => on.stop());

  test('as an ERROR event: one list, the difference told, nothing added twice', async () => {
    on = await reflectorOnDouble({ clock: createFakeClock(), answer: compacted() });
    (await on.double.nextWatch()).send('ERROR', gone);
    const next = await on.double.nextWatch();
    expect(next.params.resourceVersion).toBe('500');
    expect(on.seen.brief()).toEqual(expected);
    expect(on.lists()).toBe(2);
  });

  test('as the status of the watch request: the same', async () => {
    let refusals = 1;
    const refuseWatch: ApiDouble['refuseWatch'] = () => (refusals-- > 0 ? { status: 410, body: gone } : undefined);
    on = await reflectorOnDouble({ clock: createFakeClock(), answer: compacted(), refuseWatch });
    expect((await on.double.nextWatch()).params.resourceVersion).toBe('500');
    expect(on.seen.brief()).toEqual(expected);
    expect(on.lists()).toBe(2);
  });

  test('again and again: after the first list each further one waits', async () => {
    const clock = createFakeClock();
    on = await reflectorOnDouble({ clock, refuseWatch: () => ({ status: 410, body: gone }) });
    await expect.poll(() => clock.sleeping()).toEqual([750]);
    expect(on.lists()).toBe(2);
    await clock.advance(750);
    await expect.poll(() => clock.sleeping()).toEqual([1_500]);
    expect(on.lists()).toBe(3);
  });

  test('in the middle of a long list: it is taken in one piece, and nothing has vanished', async () => {
    const answer: ApiDouble['answer'] = ({ params }) => {
      if (params.continue) return { status: 410, body: statusOf(410, 'Expired', 'The provided continue parameter is too old') };
      return params.limit ? listOf('100', [configMap('a', '1')], 'token') : listOf('110', [configMap('a', '1'), configMap('b', '2')]);
    };
    on = await reflectorOnDouble({ clock: createFakeClock(), answer });
    expect((await on.double.nextWatch()).params.resourceVersion).toBe('110');
    expect(on.seen.brief()).toEqual(['appeared a initial', 'appeared b initial']);
  });
});

describe.skipIf(clusterMissing)('a real API server', () => {
  test('says that a version is no longer kept in a way that is understood', async () => {
    const real = await testCluster('c13');
    const transport = createTransport(real.access, { log: captureLog() });
    const { line, watch } = listWatch(transport, configMaps, undefined);
    const read = async () => {
      const cut = lineCutter();
      const signal = AbortSignal.timeout(20_000);
      for await (const chunk of await watch({ resourceVersion: '1', timeoutSeconds: 5, signal })) cut(chunk).map(line);
    };
    await expect(read()).rejects.toSatisfy(isGone);
    await transport.close();
    await real.stop();
  });
});
