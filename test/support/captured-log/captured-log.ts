import type { Log } from '../../../domain/ports/index.ts';

export interface CapturedLog extends Log {
  /** `level message {data}`, oldest first; all components together. */
  readonly lines: readonly string[];
}

/** A log that is read by the test and written nowhere. */
export function captureLog(): CapturedLog {
  const lines: string[] = [];
  const add = (level: string) => (message: string, data?: Readonly<Record<string, unknown>>) => {
    lines.push(`${level} ${message}${data === undefined ? '' : ` ${JSON.stringify(data)}`}`);
  };
  const log: CapturedLog = { lines, debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error'), component: () => log };
  return log;
}
