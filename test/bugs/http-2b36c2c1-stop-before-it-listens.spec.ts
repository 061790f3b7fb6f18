import { expect, test } from 'vitest';
import { createHttpApi } from '../../adapters/http/index.ts';
import { createMetrics } from '../../adapters/metrics/index.ts';
import { captureLog } from '../support/captured-log/index.ts';
import { createFakeClock, settle } from '../support/fake-clock/index.ts';

const make = () =>
  createHttpApi({
    address: '127.0.0.1:0',
    version: { version: '', branch: '', hash: '', buildAt: '' },
    tokens: {},
    metrics: createMetrics(),
    clock: createFakeClock(),
    log: captureLog(),
  });

// A shutdown before the listener was ready deadlocked the process, or left a listener behind.
test.each([0, 1, 2, 5, 20, 100])('a stop %i turns after the start ends both, and nothing listens', async (turns) => {
  const api = make();
  const started = api.start(new AbortController().signal);
  await settle(turns);
  expect(await api.stop({ deadline: 5_000 })).toEqual({ dropped: [] });
  await started;
  let port: number | undefined;
  try {
    port = api.port();
  } catch {
    // It never listened.
  }
  if (port !== undefined) await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
});

test('a start that is aborted does not listen', async () => {
  const api = make();
  await api.start(AbortSignal.abort());
  expect(() => api.port()).toThrow('the HTTP API does not listen yet');
  expect(await api.stop({ deadline: 5_000 })).toEqual({ dropped: [] });
});

test('a stop without a start has nothing to do', async () => {
  expect(await make().stop({ deadline: 5_000 })).toEqual({ dropped: [] });
});
