import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { StandInPlatform } from '../../../adapters/stand-in/index.ts';

const entry = join(resolve(import.meta.dirname, '../../..'), 'cli/demo/operator.ts');

export interface OperatorOptions {
  readonly kubeconfig: string;
  /** `host:port` of Valkey. */
  readonly valkey: string;
  readonly namespace: string;
  readonly clusterId: string;
  readonly platform?: StandInPlatform;
  /** ms a command's claim lasts without being renewed. Default 500: a killed process is followed quickly. */
  readonly lease?: number;
  /** ms that others wait for a silent leader. Default 3,000. */
  readonly leaderLease?: number;
  /** `<point> <signal> <command id>,...`: the process sends itself the signal once all of these are there. */
  readonly signalAt?: string;
  /** How far the start waits. Default `ready`; `listening`: until the HTTP API answers anything. */
  readonly until?: 'ready' | 'listening';
  readonly env?: Readonly<Record<string, string>>;
  /** What is run by this Node. Default: the sources, with the settings of the failure tests. */
  readonly program?: readonly string[];
}

/** A real operator in a process of its own. */
export interface Operator {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Base of its HTTP API; known once it listens. */
  readonly http: string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** The end of what it printed, for messages of failed tests. */
  output(): string;
  get(path: string): Promise<{ readonly status: number; readonly body: unknown }>;
  post(path: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  stop(): Promise<void>;
  kill(signal?: NodeJS.Signals): void;
}

const compileCache = join(resolve(import.meta.dirname, '../../..'), 'node_modules/.cache/operator');
const kept = 20_000;

/** Starts an operator and waits until `/readyz` says yes. Whoever starts it stops it. */
export async function startOperator(options: OperatorOptions): Promise<Operator> {
  const { platform, lease = 500, leaderLease = 3_000, signalAt } = options;
  const port = await freePort();
  const http = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, options.program ?? [entry], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // Tests start it often: what was compiled once need not be compiled again.
      NODE_COMPILE_CACHE: compileCache,
      KUBECONFIG: options.kubeconfig,
      MO_VALKEY_ADDR: options.valkey,
      MO_CLUSTER_NAME: 'test',
      MO_CLUSTER_MFA_ID: options.clusterId,
      MO_OWN_NAMESPACE: options.namespace,
      OWN_NODE_NAME: 'test',
      MO_SKIP_IMPERSONATION: 'true',
      MO_HTTP_ADDR: `127.0.0.1:${port}`,
      MO_LOG_LEVEL: 'warn',
      OPERATOR_LEASE_MS: String(lease),
      OPERATOR_LEADER_LEASE_MS: String(leaderLease),
      ...(platform ? { MO_API_SERVER: platform.apiUrl, MO_EVENT_SERVER: platform.eventUrl, MO_API_KEY: 'test-api-key' } : {}),
      ...(signalAt ? { OPERATOR_SIGNAL_AT: signalAt } : {}),
      ...options.env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output = (output + String(text)).slice(-kept);
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((settle) =>
    child.once('exit', (code, signal) => settle({ code, signal })),
  );
  const call = async (path: string, init?: RequestInit) => {
    const response = await fetch(http + path, { signal: AbortSignal.timeout(40_000), ...init });
    const text = await response.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, body };
  };
  const operator: Operator = {
    child,
    pid: child.pid ?? 0,
    http,
    ended,
    output: () => output,
    get: (path) => call(path),
    post: (path, body) => call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await ended;
      clearTimeout(timer);
    },
    kill: (signal = 'SIGKILL') => void child.kill(signal),
  };
  await ready(operator, options.until === 'listening');
  return operator;
}

async function ready(operator: Operator, listening: boolean): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const { exitCode, signalCode } = operator.child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`the operator ended (${exitCode ?? signalCode}) before it was ready:\n${operator.output()}`);
    const answer = await operator.get('/readyz').catch(() => undefined);
    if (answer?.status === 200 || (answer && listening)) return;
    if (Date.now() > end) {
      operator.kill();
      throw new Error(`the operator was not ready within a minute: ${JSON.stringify(answer?.body)}\n${operator.output()}`);
    }
    await new Promise((again) => setTimeout(again, 50));
  }
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  return new Promise((settle, refuse) => {
    const server = createServer();
    server.once('error', refuse);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address !== null ? settle(address.port) : refuse(new Error('no port'))));
    });
  });
}
