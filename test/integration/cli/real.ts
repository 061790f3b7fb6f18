import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createSandbox } from '../../../adapters/sandbox/index.ts';
import { emptyFolder } from './terminal.ts';

export const program = join(import.meta.dirname, '../../../bin/mogenius-operator');

/** A sandbox Kubernetes API of its own, and a kubeconfig that leads there. */
export async function sandbox() {
  const api = createSandbox({ clock: systemClock });
  await api.start(AbortSignal.timeout(10_000));
  return { api, kubeconfig: api.kubeconfig(), stop: () => api.stop({ deadline: 1000 }) };
}

/** Variables of the machine that a spawned program needs; nothing of the shell that runs the tests. */
export const bare = { PATH: process.env.PATH ?? '', HOME: '/nowhere' };

export interface Started {
  readonly child: ChildProcess;
  /** Resolves with the part of the first line of standard error that fits, in its first group. */
  said(pattern: RegExp): Promise<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  output(): string;
}

/** The start script, as a person calls it. */
export function start(args: readonly string[], env: Readonly<Record<string, string>>, folder: string): Started {
  const child = spawn(program, args, { cwd: folder, env: { ...bare, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const add = (line: string) => {
    lines.push(line);
    for (const look of [...waiting]) look();
  };
  createInterface({ input: child.stdout }).on('line', add);
  createInterface({ input: child.stderr }).on('line', add);
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const output = () => lines.join('\n');
  return {
    child,
    ended,
    output,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.map((line) => pattern.exec(line)).find((match) => match !== null);
          if (!found) return;
          waiting.delete(look);
          resolve(found[1] ?? found[0]);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended before it said ${pattern}:\n${output()}`)));
      }),
  };
}

export function kubeconfigIn(folder: string, text: string): string {
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, text);
  return file;
}

export { emptyFolder };
