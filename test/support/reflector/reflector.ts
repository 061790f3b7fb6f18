import { systemClock } from '../../../adapters/clock/index.ts';
import { createObjectSource } from '../../../adapters/kubernetes/index.ts';
import { configMaps } from '../../../domain/kinds.ts';
import type { Clock, ObjectChange, Reflector } from '../../../domain/ports/index.ts';
import { type ApiDouble, startApiDouble } from '../api-double/index.ts';
import { type CapturedLog, captureLog } from '../captured-log/index.ts';
import { type CollectedChanges, collectChanges } from '../changes/index.ts';
import { accessTo } from '../cluster/index.ts';

export const configMap = (name: string, resourceVersion: string, uid = `uid-${name}`) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', uid, resourceVersion, creationTimestamp: '2026-01-01T00:00:00Z' },
});

export const listOf = (resourceVersion: string, items: readonly object[], next?: string) => ({
  status: 200,
  body: { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion, ...(next ? { continue: next } : {}) }, items },
});

export interface ReflectorOnDouble {
  readonly double: ApiDouble;
  readonly reflector: Reflector;
  readonly seen: CollectedChanges;
  readonly log: CapturedLog;
  /** Requests of one sort, in order. */
  lists(): number;
  watches(): number;
  stop(): Promise<void>;
}

/** A reflector of ConfigMaps that follows the double. The double first lists `items` at version 100, unless told otherwise. */
export async function reflectorOnDouble(how: {
  readonly clock?: Clock;
  readonly silence?: number;
  readonly items?: readonly object[];
  readonly answer?: ApiDouble['answer'];
  readonly refuseWatch?: ApiDouble['refuseWatch'];
  readonly handle?: (changes: readonly ObjectChange[], seen: CollectedChanges) => Promise<void>;
}): Promise<ReflectorOnDouble> {
  const double = await startApiDouble();
  double.answer = how.answer ?? (() => listOf('100', how.items ?? []));
  double.refuseWatch = how.refuseWatch;
  const log = captureLog();
  const seen = collectChanges();
  const source = createObjectSource(accessTo(double.url), { clock: how.clock ?? systemClock, log, silence: how.silence });
  const ends = new AbortController();
  const { handle } = how;
  const reflector = source.follow(configMaps, {
    namespace: 'ns',
    signal: ends.signal,
    handle: handle ? (changes) => handle(changes, seen) : seen.handle,
  });
  const count = (watch: boolean) => double.requests.filter(({ params }) => (params.watch === 'true') === watch).length;
  return {
    double,
    reflector,
    seen,
    log,
    lists: () => count(false),
    watches: () => count(true),
    async stop() {
      ends.abort(new Error('the test is over'));
      await source.close();
      await double.stop();
    },
  };
}
