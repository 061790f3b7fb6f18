import type { Clock, Log } from '../../domain/ports/index.ts';
import { createContext } from './context.ts';
import { buildServer } from './server.ts';

const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined, random: () => 0 };
const log: Log = { debug() {}, info() {}, warn() {}, error() {}, component: () => log };

/** The API as OpenAPI 3.1, from its routes, without listening. */
export async function openApiDocument(version: string): Promise<unknown> {
  const context = createContext(
    {
      address: ':0',
      version: { version, branch: '', hash: '', buildAt: '' },
      tokens: {},
      metrics: {
        counter: () => ({ add() {} }),
        gauge: () => ({ set() {} }),
        histogram: () => ({ observe() {} }),
        text: async () => ({ contentType: '', body: '' }),
      },
      clock,
      log,
    },
    AbortSignal.abort(),
  );
  const app = await buildServer(context);
  const document = app.swagger();
  await app.close();
  return document;
}
