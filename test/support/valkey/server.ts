import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'iovalkey';
import { findValkey } from '../../../scripts/valkey.mjs';

const program = await findValkey();

/** Why tests that need a Valkey are skipped; undefined when there is one. For `describe.skipIf(noValkey)`. */
export const noValkey: string | undefined = program
  ? undefined
  : 'no Valkey 8 or Redis 7.2 was found: not on PATH, and the packages of the distribution could not be had';

export interface ValkeyServerOptions {
  readonly appendonly?: boolean;
  readonly appendfsync?: 'always' | 'everysec' | 'no';
  /** e.g. `8mb`. */
  readonly maxmemory?: string;
  readonly maxmemoryPolicy?: string;
  readonly password?: string;
  /** More settings, by their names in the configuration file. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A real server in a folder of its own. Stopped and its folder removed at the latest when this process ends. */
export interface ValkeyServer {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  /** Ends it for good and removes its folder. */
  stop(): Promise<void>;
  /** SIGKILL: what it had not written is lost. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder; ends it first, cleanly, when it runs. */
  restart(): Promise<void>;
  /** SIGSTOP: it keeps its sockets and says nothing. */
  pause(): void;
  continue(): void;
  /** Runs one command on a connection of its own. */
  cli(command: string, ...args: string[]): Promise<unknown>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function valkeyServer(options: ValkeyServerOptions = {}): Promise<ValkeyServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mogenius-valkey-'));
  const {
    appendonly = false,
    appendfsync = 'everysec',
    maxmemory = '0',
    maxmemoryPolicy = 'noeviction',
    password,
    settings = {},
  } = options;
  const wanted = {
    dir: folder,
    save: '',
    bind: '127.0.0.1',
    appendonly: appendonly ? 'yes' : 'no',
    appendfsync,
    maxmemory,
    'maxmemory-policy': maxmemoryPolicy,
  };
  const flags = Object.entries({ ...wanted, ...(password === undefined ? {} : { requirepass: password }), ...settings }).flatMap(
    ([name, value]) => [`--${name}`, value],
  );
  // Another process may take the port between our look and the server's start.
  let port = 0;
  let child: ChildProcess | undefined;
  for (let attempt = 1; !child; attempt++) {
    port = await freePort();
    child = await launch(['--port', String(port), ...flags]).catch((error: unknown) => {
      if (attempt >= 5) throw error;
      return undefined;
    });
  }
  let current = child;
  const end = (signal: NodeJS.Signals) => ended(current, signal);

  return {
    host: '127.0.0.1',
    port,
    get pid() {
      return current.pid ?? 0;
    },
    version: program?.version ?? '',
    async stop() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGTERM');
      current = await launch(['--port', String(port), ...flags]);
    },
    pause: () => void current.kill('SIGSTOP'),
    continue: () => void current.kill('SIGCONT'),
    async cli(command, ...args) {
      const client = new Redis({
        host: '127.0.0.1',
        port,
        ...(password === undefined ? {} : { password }),
        retryStrategy: () => null,
        maxRetriesPerRequest: 0,
      });
      client.on('error', () => {});
      try {
        return await client.call(command, ...args);
      } finally {
        client.disconnect();
      }
    },
  };
}

async function launch(flags: readonly string[]): Promise<ChildProcess> {
  if (!program) throw new Error(noValkey);
  const child = spawn(program.command, [...program.args, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout });
  const said: string[] = [];
  for await (const line of lines) {
    said.push(line);
    if (line.includes('Ready to accept connections')) {
      child.stdout.resume();
      return child;
    }
  }
  throw new Error(`Valkey did not start: ${said.slice(-3).join(' / ')}`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  // A stopped process takes no SIGTERM.
  child.kill('SIGCONT');
  await gone;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}
