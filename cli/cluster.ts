import { systemClock } from '../adapters/clock/index.ts';
import { createHttpApi } from '../adapters/http/index.ts';
import { createMetrics } from '../adapters/metrics/index.ts';
import type { PipelinePoint } from '../commands/index.ts';
import type { Configuration } from '../domain/configuration/index.ts';
import type { Log } from '../domain/ports/index.ts';
import { compose } from './cluster/compose.ts';
import { createHealth, type HealthSources } from './cluster/health.ts';
import { createModules } from './cluster/modules.ts';
import { build } from './process/build.ts';

export interface ClusterRun {
  /** Aborts to stop. */
  readonly signal: AbortSignal;
  /** Keeps the log in this file instead of Valkey. One process at a time. */
  readonly embedded?: string;
  /** Called at points of the pipeline; a test may end the process there. */
  readonly probe?: (point: PipelinePoint, command: string) => void | Promise<void>;
  /** ms a command's claim lasts without being renewed. Default 10,000. */
  readonly lease?: number;
  /** ms that others wait for a leader which is silent. Default 30,000. */
  readonly leaderLease?: number;
}

/** Stopping is done by then; whoever started the process kills it a little later. */
const stopDeadline = 25_000;

/** Runs the operator until the signal aborts and everything is stopped; resolves with the exit code. */
export async function runCluster(config: Configuration, log: Log, how: ClusterRun): Promise<number> {
  const { signal } = how;
  const clock = systemClock;
  const started = clock.monotonic();
  const metrics = createMetrics();
  const sources: HealthSources = { starting: 'the operator is starting' };
  const modules = createModules({ clock, log });
  let reviewer: ((token: string) => Promise<{ readonly username: string; readonly groups: readonly string[] } | undefined>) | undefined;
  try {
    // First of all: a start that waits for Valkey or the API server must not look like a dead process.
    const api = createHttpApi({
      address: config.get('MO_HTTP_ADDR'),
      version: build(),
      tokens: {
        bearer: () => config.get('MO_HTTP_TOKEN'),
        review: async (token) => reviewer?.(token),
        // Every pod has a valid token: only administrators and the service accounts beside the operator may call.
        groups: ['system:masters', `system:serviceaccounts:${config.get('MO_OWN_NAMESPACE')}`],
      },
      metrics,
      clock,
      log,
      parts: { health: createHealth(sources) },
    });
    await modules.start(api, signal);
    const { review, ...parts } = await compose({ config, log, clock, metrics, how, modules, sources });
    reviewer = review;
    api.provide(parts);
    delete sources.starting;
    log.info('the operator is up', { http: api.port(), version: build().version, ms: Math.round(clock.monotonic() - started) });
    await clock.sleep(Number.POSITIVE_INFINITY, signal).catch(() => undefined);
    // Readiness goes off before anything stops working.
    api.drain();
    return 0;
  } catch (error) {
    // Asked to stop while it was starting: that is no failure.
    if (signal.aborted) return 0;
    throw error;
  } finally {
    sources.starting = 'the operator is stopping';
    const { dropped } = await modules.stop(stopDeadline);
    if (dropped.length > 0) log.warn('stopped, and left behind', { dropped });
  }
}
