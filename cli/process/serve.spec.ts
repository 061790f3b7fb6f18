import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Io } from '../frame/index.ts';
import { type Run, serve } from './serve.ts';

const complete = { MO_CLUSTER_NAME: 'dev', MO_VALKEY_ADDR: 'valkey:6379', MO_LOG_LEVEL: 'error' };

function terminal(env: Readonly<Record<string, string>> = complete) {
  const stop = new AbortController();
  const lines: string[] = [];
  const output = { write: (text: string) => void lines.push(text), columns: undefined };
  const io: Io = { env, folder: '/nowhere', out: output, err: output, readInput: async () => '', signal: stop.signal };
  return { io, stop, lines };
}

const untilAborted: Run = (_config, _log, { signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(0), { once: true }));

describe('the operator', () => {
  it('ends with its own exit code when it was asked to stop and has stopped', async () => {
    const { io, stop } = terminal();
    const running = serve(io, async () => untilAborted);
    stop.abort('SIGTERM');
    expect(await running).toBe(0);
  });

  it('is not even started when it is asked to stop while it is loaded', async () => {
    const { io, stop } = terminal();
    const run = vi.fn<Run>();
    expect(
      await serve(io, async () => {
        stop.abort('SIGTERM');
        return run;
      }),
    ).toBe(0);
    expect(run).not.toHaveBeenCalled();
  });

  it('gets the configuration, and 1 is the code of a start that fails', async () => {
    const { io } = terminal();
    const seen: string[] = [];
    const run: Run = async (config) => {
      seen.push(config.get('MO_CLUSTER_NAME'));
      throw new Error('no');
    };
    expect(await serve(io, async () => run)).toBe(1);
    expect(seen).toEqual(['dev']);
  });

  it('leaves nothing behind that listens', async () => {
    const before = process.listenerCount('uncaughtException');
    const { io, stop } = terminal();
    const running = serve(io, async () => untilAborted);
    stop.abort();
    await running;
    expect(process.listenerCount('uncaughtException')).toBe(before);
  });
});

describe('when it can not go on', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ends with 126 when stopping takes longer than 30 s', async () => {
    const { io, stop } = terminal();
    const ended = Promise.withResolvers<number>();
    const running = Promise.withResolvers<void>();
    const stuck: Run = () => {
      running.resolve();
      return new Promise(() => {});
    };
    void serve(io, async () => stuck, ended.resolve);
    await running.promise;
    stop.abort('SIGTERM');
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await ended.promise).toBe(126);
  });

  it('ends with 2 at an error that nobody caught', async () => {
    const { io } = terminal();
    const before = new Set(process.listeners('uncaughtException'));
    const ended = new Promise<number>((resolve) => {
      void serve(io, async () => () => new Promise(() => {}), resolve);
    });
    const [crashed] = process.listeners('uncaughtException').filter((listener) => !before.has(listener));
    crashed?.(new Error('nobody'), 'uncaughtException');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await ended).toBe(2);
    if (crashed) process.off('uncaughtException', crashed);
  });
});
