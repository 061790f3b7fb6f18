import type { Clock, Cluster, DependencyState, Module } from '../../domain/ports/index.ts';

const interval = 10_000;
const patience = 5_000;

/** Asks the API server now and then whether it answers, so that readiness need not ask when it is asked. */
export function createPulse({ cluster, clock }: { cluster: Cluster; clock: Clock }): Module & { state(): DependencyState } {
  const stopping = new AbortController();
  let state: DependencyState = { name: 'kubernetes', state: 'unknown', required: true, reason: 'not asked yet' };
  let running: Promise<void> | undefined;

  async function ask(): Promise<void> {
    try {
      const version = await cluster.version({ signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(patience)]) });
      state = { name: 'kubernetes', state: 'ok', required: true, reason: version };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      state = {
        name: 'kubernetes',
        state: 'failed',
        required: true,
        reason: `${reason}. Check that the API server runs and the kubeconfig leads there.`,
      };
    }
  }

  return {
    name: 'kubernetes-pulse',
    state: () => state,
    async start() {
      await ask();
      running = (async () => {
        while (!stopping.signal.aborted) {
          await clock.sleep(interval, stopping.signal).catch(() => undefined);
          if (!stopping.signal.aborted) await ask();
        }
      })();
    },
    async stop() {
      stopping.abort();
      await running;
      return { dropped: [] };
    },
  };
}
