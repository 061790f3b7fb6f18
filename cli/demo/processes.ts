import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { NotTrue } from './print.ts';

/** A process of the demo, with the end of what it printed. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves with how it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  output(): string;
  stop(): Promise<void>;
}

const kept = 8_000;
const patience = 15_000;

export function startProcess(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Running {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (text: unknown) => {
    output = (output + String(text)).slice(-kept);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // Whoever waits for it sees the error; nobody may.
  ended.catch(() => undefined);
  return {
    child,
    ended,
    output: () => output,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), patience);
      await ended.catch(() => undefined);
      clearTimeout(timer);
    },
  };
}

/** A TCP port of loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new NotTrue('this machine gives no free port');
  return address.port;
}

/** Asks until it is so. A process that ended meanwhile ends the wait with what it printed. */
export async function eventually(what: string, is: () => Promise<boolean>, running?: Running): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await is().catch(() => false))) {
    if (running && (running.child.exitCode !== null || running.child.signalCode !== null))
      throw new NotTrue(`${what}: the process ended before\n${running.output()}`);
    if (Date.now() > end) throw new NotTrue(`${what}: not within a minute\n${running?.output() ?? ''}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
