import { createPlatform, type Platform, type PlatformOptions } from '../../../adapters/platform/index.ts';
import { createStandInPlatform, type StandInOptions, type StandInPlatform } from '../../../adapters/stand-in/index.ts';
import type { Clock } from '../../../domain/ports/index.ts';
import { type CapturedLog, captureLog } from '../captured-log/index.ts';
import type { FakeClock } from '../fake-clock/index.ts';
import { createDispatcherDouble, type DispatcherDouble } from './dispatcher.ts';
import { type CountedMetrics, createCountedMetrics } from './metrics.ts';

export interface Pair {
  readonly standIn: StandInPlatform;
  readonly platform: Platform;
  readonly dispatcher: DispatcherDouble;
  readonly metrics: CountedMetrics;
  readonly log: CapturedLog;
  /** Stops both. */
  stop(): Promise<void>;
}

export const identity = { apiKey: 'key-1', mfaId: 'mfa-1', version: '9.9.9', clusterName: 'blue', namespace: 'mogenius' } as const;

/** An operator's links and the platform they lead to, both in this process, over real sockets. */
export async function startPair(
  clock: Clock | FakeClock,
  options: Partial<PlatformOptions> & { readonly double?: DispatcherDouble; readonly peer?: StandInOptions } = {},
): Promise<Pair> {
  const dispatcher = options.double ?? createDispatcherDouble();
  const metrics = createCountedMetrics();
  const log = captureLog();
  const standIn = createStandInPlatform(options.peer);
  await standIn.start(new AbortController().signal);
  const { double: _, peer: __, ...rest } = options;
  const platform = createPlatform({
    apiUrl: standIn.apiUrl,
    eventUrl: standIn.eventUrl,
    apiClients: 2,
    identity,
    dispatcher,
    session: { position: '0-0' },
    metrics,
    clock,
    log,
    ...rest,
  });
  await platform.start(new AbortController().signal);
  return {
    standIn,
    platform,
    dispatcher,
    metrics,
    log,
    async stop() {
      await Promise.all([platform.stop({ deadline: 1000 }), 'advance' in clock ? clock.advance(5000) : undefined]);
      await standIn.stop({ deadline: 1000 });
    },
  };
}
