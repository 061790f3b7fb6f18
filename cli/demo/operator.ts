// The operator as the demo and the failure tests run it: the same as `mogenius-operator cluster`, with what a person can't ask of it:
//   OPERATOR_SIGNAL_AT   `<point> <signal> <command id>,...`: sends itself the signal once all these commands are at that point of the pipeline
//   OPERATOR_LOG_FILE    keeps the log in a file, where there is no Valkey
//   OPERATOR_LEASE_MS    how long the claim of a command lasts without being renewed
//   OPERATOR_LEADER_LEASE_MS  how long others wait for a leader that is silent
import { flushCompileCache } from 'node:module';
import { constants } from 'node:os';
import type { PipelinePoint } from '../../commands/index.ts';
import { type ClusterRun, runCluster } from '../cluster.ts';
import { processIo } from '../frame/index.ts';
import { serve } from '../process/serve.ts';

// One that is killed would never write it, and the next start would compile everything again.
if (process.env.NODE_COMPILE_CACHE) flushCompileCache();

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(128 + constants.signals[name]);
    stop.abort(name);
  });
}

const {
  OPERATOR_SIGNAL_AT: signalAt,
  OPERATOR_LOG_FILE: file,
  OPERATOR_LEASE_MS: lease,
  OPERATOR_LEADER_LEASE_MS: leaderLease,
} = process.env;

const more: Partial<ClusterRun> = {
  ...(file ? { embedded: file } : {}),
  ...(lease ? { lease: Number(lease) } : {}),
  ...(leaderLease ? { leaderLease: Number(leaderLease) } : {}),
  ...(signalAt ? { probe: signalOnce(signalAt) } : {}),
};

process.exit(await serve(processIo(stop.signal), async () => (config, log, how) => runCluster(config, log, { ...how, ...more })));

function signalOnce(text: string): (point: PipelinePoint, command: string) => Promise<void> | undefined {
  const [point, signal, commands = ''] = text.split(' ');
  const missing = new Set(commands.split(','));
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  return (reached, id) => {
    if (reached !== point || !missing.delete(id)) return undefined;
    // Those that come first wait at the point for the others: one signal then meets them all there.
    if (missing.size > 0) return complete;
    process.kill(process.pid, signal);
    resolve();
    return undefined;
  };
}
