import type { Configuration } from '../domain/configuration/index.ts';
import type { Log } from '../domain/ports/index.ts';

/** Runs the operator until the signal aborts and everything is stopped; resolves with the exit code. */
export async function runCluster(_config: Configuration, log: Log, _how: { readonly signal: AbortSignal }): Promise<number> {
  log.error('the composition of the operator is not there yet');
  return 1;
}
