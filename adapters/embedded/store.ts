import type { CommandLog, EventStore, LogKeeper } from '../../domain/ports/index.ts';
import { type CommandBounds, createCommands } from './commands.ts';
import { type CoreOptions, createCore } from './core.ts';
import { createEvents } from './events.ts';
import { createKeeper } from './keeper.ts';

export interface EmbeddedOptions extends CoreOptions {
  readonly bounds?: CommandBounds;
}

export interface EmbeddedStore {
  readonly events: EventStore;
  readonly commands: CommandLog;
  readonly keeper: LogKeeper;
  /** Closes the file. Nothing may be called afterwards. */
  close(): void;
}

/**
 * The log in the memory of one process, and in a file of JSON lines when one is named (`fsync`: an answer waits for the disk).
 * For tests, for a demo without Valkey and for small single processes: the file belongs to one process at a time.
 */
export function createEmbeddedStore({ bounds = {}, ...options }: EmbeddedOptions): EmbeddedStore {
  const core = createCore(options);
  return { events: createEvents(core), commands: createCommands(core, bounds), keeper: createKeeper(core), close: core.close };
}
