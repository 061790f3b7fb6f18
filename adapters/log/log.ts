import { pino, symbols } from 'pino';
import type { Values } from '../../domain/configuration/index.ts';
import type { Clock, Log } from '../../domain/ports/index.ts';
import { createEraser } from './eraser.ts';
import { format } from './line.ts';
import { plain } from './plain.ts';
import { createRepeats } from './repeats.ts';

export type Level = Values['MO_LOG_LEVEL'];

/** The log of the process. */
export interface RootLog extends Log {
  /** From now on. `filter` names the components that are printed; empty: all. */
  configure(how: { readonly level?: Level; readonly filter?: readonly string[] }): void;
  /** Prints what was held back. The stream is the caller's to flush. */
  close(): void;
}

export interface LogOptions {
  readonly level: Level;
  readonly filter: readonly string[];
  /** Takes whole lines. Must not block: see `openLineWriter`. */
  readonly stream: { write(line: string): void };
  /** Every text that must not be printed; asked at each line, former ones stay erased. */
  readonly secrets: () => readonly string[];
  readonly clock: Pick<Clock, 'now'>;
  /** Colours and readable stacks, for a terminal. */
  readonly coloured?: boolean;
}

const pinoLevel = (level: Level) => (level === 'mo' ? 'info' : level);
type Method = 'debug' | 'info' | 'warn' | 'error';

/** Lines for people: time, level, component, message, data as JSON. Secrets are erased in all of it; equal lines within a second are counted, not repeated. */
export function createLog(options: LogOptions): RootLog {
  const erase = createEraser(options.secrets);
  const repeats = createRepeats(options.stream);
  const printed = new Set(options.filter);

  const destination = {
    [symbols.needsMetadataGsym]: true as const,
    lastLevel: 0,
    lastTime: '',
    lastMsg: '',
    lastObj: {},
    lastLogger: undefined,
    write() {
      const { component, data }: { component?: unknown; data?: unknown } = this.lastObj;
      const record = { level: pino.levels.labels[this.lastLevel] ?? 'info', component: String(component), message: this.lastMsg, data };
      repeats.line(
        (time) => erase(format({ ...record, time }, options.coloured ?? false)),
        erase(JSON.stringify(record)),
        options.clock.now(),
      );
    },
  };
  const writer = pino({ level: pinoLevel(options.level), base: null, timestamp: false }, destination);

  function component(name: string): Log {
    const write = (method: Method, message: string, data: Readonly<{ [key: string]: unknown }> | undefined): void => {
      if (!writer.isLevelEnabled(method) || (printed.size > 0 && !printed.has(name))) return;
      writer[method]({ component: name, ...(data ? { data: plain(data, erase) } : {}) }, '%s', plain(message, erase));
    };
    return {
      debug: (message, data) => write('debug', message, data),
      info: (message, data) => write('info', message, data),
      warn: (message, data) => write('warn', message, data),
      error: (message, data) => write('error', message, data),
      component,
    };
  }

  return {
    ...component('core'),
    configure({ level, filter }) {
      if (level) writer.level = pinoLevel(level);
      if (filter) {
        printed.clear();
        for (const name of filter) printed.add(name);
      }
    },
    close: () => repeats.close(),
  };
}
