// The operator as the demo and the failure tests run it: the same as `mogenius-operator cluster`, with what a person can't ask of it:
//   OPERATOR_SIGNAL_AT   `<point> <signal> <command id>`: sends itself the signal when that command passes that point of the pipeline, once
//   OPERATOR_LOG_FILE    keeps the log in a file, where there is no Valkey
//   OPERATOR_LEASE_MS    how long the claim of a command lasts without being renewed
import { constants } from 'node:os';
import type { PipelinePoint } from '../../commands/index.ts';
import { type ClusterRun, runCluster } from '../cluster.ts';
import { processIo } from '../frame/index.ts';
import { serve } from '../process/serve.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(128 + constants.signals[name]);
    stop.abort(name);
  });
}

const { OPERATOR_SIGNAL_AT: signalAt, OPERATOR_LOG_FILE: file, OPERATOR_LEASE_MS: lease } = process.env;

const more: Partial<ClusterRun> = {
  ...(file ? { embedded: file } : {}),
  ...(lease ? { lease: Number(lease) } : {}),
  ...(signalAt ? { probe: signalOnce(signalAt) } : {}),
};

process.exit(await serve(processIo(stop.signal), async () => (config, log, how) => runCluster(config, log, { ...how, ...more })));

function signalOnce(text: string): (point: PipelinePoint, command: string) => void {
  const [point, signal, command] = text.split(' ');
  let sent = false;
  return (reached, id) => {
    if (sent || reached !== point || id !== command) return;
    sent = true;
    process.kill(process.pid, signal);
  };
}
