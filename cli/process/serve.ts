import type { Configuration } from '../../domain/configuration/index.ts';
import type { Log } from '../../domain/ports/index.ts';
import { exit, type Io } from '../frame/index.ts';
import { openLog, validSettings } from './settings.ts';

/** How long stopping may take, ms. Kubernetes kills after 30 s by default too. */
const stopDeadline = 30_000;

/** The operator itself: resolves with the exit code when everything is stopped. */
export type Run = (config: Configuration, log: Log, how: { readonly signal: AbortSignal }) => Promise<number>;

/** Runs until the signal of `io` aborts and everything is stopped. `end` ends the process at once. */
export async function serve(io: Io, load: () => Promise<Run>, end: (code: number) => void = process.exit): Promise<number> {
  const config = validSettings(io);
  if (!config) return exit.failed;
  const { log, close } = openLog(io, config);
  let timer: NodeJS.Timeout | undefined;

  const leave = (code: number, message: string, data?: Readonly<Record<string, unknown>>) => {
    log.error(message, data);
    void close(500).finally(() => end(code));
  };
  const crashed = (error: unknown) => leave(exit.crashed, 'an error that nobody caught ended the process', { error });
  const stopping = () => {
    log.info('stopping', { reason: String(io.signal.reason) });
    timer = setTimeout(leave, stopDeadline, exit.overdue, `stopping took longer than ${stopDeadline / 1000} s: the process ends as it is`);
  };
  process.on('uncaughtException', crashed);
  io.signal.addEventListener('abort', stopping);
  try {
    const run = await load();
    // Asked to stop while it was still loading: nothing is running, nothing has to be drained.
    if (io.signal.aborted) return exit.ok;
    return await run(config, log, { signal: io.signal });
  } catch (error) {
    log.error('the operator failed', { error });
    return exit.failed;
  } finally {
    clearTimeout(timer);
    io.signal.removeEventListener('abort', stopping);
    process.off('uncaughtException', crashed);
    await close(1000);
  }
}
