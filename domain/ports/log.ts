/** What went on, for the person who runs the process. Adapters erase secrets in message and data before anything is written. */
export interface Log {
  debug(message: string, data?: Readonly<Record<string, unknown>>): void;
  info(message: string, data?: Readonly<Record<string, unknown>>): void;
  warn(message: string, data?: Readonly<Record<string, unknown>>): void;
  error(message: string, data?: Readonly<Record<string, unknown>>): void;
  /** The same log under a component name of its own. */
  component(name: string): Log;
}
