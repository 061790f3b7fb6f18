import { systemClock } from '../../../adapters/clock/index.ts';
import { createHttpApi, type HttpApi, type HttpApiOptions, type HttpParts } from '../../../adapters/http/index.ts';
import { createMetrics } from '../../../adapters/metrics/index.ts';
import type { RecordedEvent } from '../../../domain/event/index.ts';
import type { CapturedLog } from '../captured-log/index.ts';
import { captureLog } from '../captured-log/index.ts';
import { createMemoryLog, type MemoryLog } from './memory-log.ts';
import { doubles } from './parts.ts';

export const bearer = 'a-token-for-tests';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON of the body; undefined when it is none. */
  readonly body: unknown;
}

export interface Harness {
  readonly api: HttpApi;
  readonly base: string;
  readonly log: CapturedLog;
  readonly events: MemoryLog;
  call(path: string, init?: RequestInit): Promise<Answer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  stop(): Promise<void>;
}

/** The API on a free port of this machine, with doubles for everything behind it. `parts` replaces some of them. */
export async function openHttp(
  options: Partial<Omit<HttpApiOptions, 'parts'>> & { readonly parts?: Partial<HttpParts>; readonly bare?: boolean } = {},
): Promise<Harness> {
  const { parts, bare = false, limits, ...rest } = options;
  const log = captureLog();
  const events = createMemoryLog();
  const api = createHttpApi({
    address: '127.0.0.1:0',
    version: { version: '1.2.3', branch: 'main', hash: 'abc123', buildAt: '2026-01-01T00:00:00.000Z' },
    tokens: { bearer: () => bearer },
    metrics: createMetrics(),
    clock: systemClock,
    log,
    limits: { rate: 1_000_000, burst: 1_000_000, ...limits },
    parts: bare ? { ...parts } : { ...doubles(events), ...parts },
    ...rest,
  });
  await api.start(new AbortController().signal);
  const base = `http://127.0.0.1:${api.port()}`;

  async function call(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(base + path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }
  return {
    api,
    base,
    log,
    events,
    call,
    post: (path, body, headers = {}) =>
      call(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
    async stop() {
      await api.stop({ deadline: 5_000 });
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An event at a position, of a command or an object. */
export const eventOf = (n: number, more: Partial<RecordedEvent> = {}): RecordedEvent => ({
  id: `c${n}/accepted/1`,
  source: '/clusters/test',
  stream: `command/c${n}`,
  version: 1,
  position: `${1_000 + n}-0`,
  type: 'CommandAccepted',
  schema: 1,
  time: '2026-01-01T00:00:00.000Z',
  data: { pattern: 'create/workspace', n },
  commandid: `c${n}`,
  ...more,
});
