import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { invoke } from '../../../cli/invoke.ts';

/** An empty folder that goes with the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line in this process, as if in an empty folder with nothing but `env`. */
export async function cli(
  args: readonly string[],
  how: {
    readonly env?: Readonly<Record<string, string>>;
    readonly folder?: string;
    readonly input?: string;
    readonly columns?: number;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await invoke(args, {
    env: how.env ?? {},
    folder: how.folder ?? emptyFolder(),
    out: {
      write: (text) => {
        out += text;
      },
      columns: how.columns,
    },
    err: {
      write: (text) => {
        err += text;
      },
      columns: undefined,
    },
    readInput: async () => how.input ?? '',
    signal: how.signal ?? new AbortController().signal,
  });
  return { code, out, err };
}
