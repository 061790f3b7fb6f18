/** Where text goes. */
export interface Output {
  write(text: string): void;
  /** Columns of the terminal; undefined when it is none. */
  readonly columns: number | undefined;
}

/** What a command gets of the outside, so that tests own it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly out: Output;
  readonly err: Output;
  readInput(): Promise<string>;
  /** Aborts on the first Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Colours are for people at a terminal that did not decline them (no-color.org). */
export function coloured(io: Io, output: Output): boolean {
  return output.columns !== undefined && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
}

/** The process's own streams. A reader that goes away (`| head`) ends the process quietly. */
export function processIo(signal: AbortSignal): Io {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return {
    env: process.env,
    folder: process.cwd(),
    out: output(process.stdout),
    err: output(process.stderr),
    readInput: async () => {
      const parts: Buffer[] = [];
      for await (const part of process.stdin) parts.push(Buffer.from(part));
      return Buffer.concat(parts).toString('utf8');
    },
    signal,
  };
}

function output(stream: NodeJS.WriteStream): Output {
  return { write: (text) => void stream.write(text), columns: stream.isTTY ? stream.columns : undefined };
}
