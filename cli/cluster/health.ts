import type { LinkState } from '../../adapters/platform/index.ts';
import type { Observer } from '../../commands/observe/index.ts';
import type { DependencyState, Health, Leadership, ProjectionAdmin } from '../../domain/ports/index.ts';

/** Where the truth about each dependency is asked for. What is not there yet is unknown. */
export interface HealthSources {
  storage?: () => DependencyState;
  kubernetes?: () => DependencyState;
  projections?: ProjectionAdmin;
  leadership?: Leadership;
  observer?: Observer;
  links?: () => Readonly<Record<string, LinkState>>;
  /** What the log lost. */
  log?: () => readonly DependencyState[];
  /** What the start is waiting for; absent when it is over. */
  starting?: string;
}

/** Events a view may lag behind without being called late. */
const tolerable = 10_000;

/** Readiness as it is: what commands and queries need is required; the platform and the lead are told, and held against nobody. */
export function createHealth(sources: HealthSources): Health {
  return {
    async dependencies() {
      return [
        ...(sources.starting === undefined ? [] : [{ name: 'start', state: 'unknown' as const, required: true, reason: sources.starting }]),
        sources.storage?.() ?? { name: 'valkey', state: 'unknown', required: true, reason: 'not asked yet' },
        sources.kubernetes?.() ?? { name: 'kubernetes', state: 'unknown', required: true, reason: 'not asked yet' },
        ...(await views(sources.projections)),
        ...(sources.log?.() ?? []),
        ...lead(sources.leadership),
        ...watches(sources.observer),
        ...links(sources.links),
      ];
    },
  };
}

async function views(projections: ProjectionAdmin | undefined): Promise<DependencyState[]> {
  if (projections === undefined) return [{ name: 'projections', state: 'unknown', required: true, reason: 'not started yet' }];
  try {
    return (await projections.list()).map(({ name, state, lag, reason }) => {
      const base = { name: `projection ${name}`, required: true };
      if (state === 'stopped')
        return { ...base, state: 'failed', reason: `${reason ?? 'it stopped'}. Rebuild it: mogenius-operator projections rebuild ${name}` };
      if (state === 'rebuilding') return { ...base, state: 'degraded', reason: reason ?? 'it is being rebuilt; the former build answers' };
      return lag > tolerable ? { ...base, state: 'degraded', reason: `it is ${lag} events behind the log` } : { ...base, state: 'ok' };
    });
  } catch (error) {
    return [{ name: 'projections', state: 'unknown', required: true, reason: error instanceof Error ? error.message : String(error) }];
  }
}

function lead(leadership: Leadership | undefined): DependencyState[] {
  if (leadership === undefined) return [];
  const { leading, holder, reason } = leadership.status();
  if (leading) return [{ name: 'leadership', state: 'ok', required: false, reason: 'this replica leads' }];
  return [
    {
      name: 'leadership',
      state: holder ? 'ok' : 'degraded',
      required: false,
      reason: holder ? `another replica leads (${holder})` : (reason ?? 'nobody leads yet'),
    },
  ];
}

function watches(observer: Observer | undefined): DependencyState[] {
  return (observer?.status() ?? []).flatMap(({ kind, status }) =>
    status.state === 'failing'
      ? [{ name: `watch ${kind}`, state: 'degraded' as const, required: false, reason: status.reason ?? 'it fails and is tried again' }]
      : [],
  );
}

function links(states: HealthSources['links']): DependencyState[] {
  return Object.entries(states?.() ?? {}).map(([name, state]) => {
    const base = { name: `platform link ${name}`, required: false };
    return state.phase === 'connected'
      ? { ...base, state: 'ok' }
      : {
          ...base,
          state: 'degraded',
          reason: `${state.phase}${'reason' in state && state.reason ? `: ${state.reason}` : ''}; it is tried again`,
        };
  });
}
