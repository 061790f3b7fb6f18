import type { Term } from '../../domain/event/index.ts';
import type { CommandLog, EventStore, LogKeeper } from '../../domain/ports/index.ts';
import type { ArchiveReader } from './archive.ts';
import { type CommandBounds, createCommands } from './commands.ts';
import { type CoreOptions, createCore } from './core.ts';
import { createEvents } from './events.ts';
import { createKeeper } from './keeper.ts';

export interface EmbeddedOptions extends CoreOptions {
  readonly bounds?: CommandBounds;
  /** Where events are that were trimmed. Without it, reading them throws PositionTrimmed. */
  readonly archive?: ArchiveReader;
}

export interface EmbeddedStore {
  readonly events: EventStore;
  readonly commands: CommandLog;
  readonly keeper: LogKeeper;
  /** The highest term that wrote; 0 when none did. */
  term(): Term;
  /** Closes the file. Nothing may be called afterwards. */
  close(): void;
}

/**
 * The log in the memory of one process, and in a file of JSON lines when one is named (`fsync`: an answer waits for the disk).
 * For tests, for a demo without Valkey and for small single processes: the file belongs to one process at a time.
 */
export function createEmbeddedStore({ bounds = {}, archive, ...options }: EmbeddedOptions): EmbeddedStore {
  const core = createCore(options);
  return {
    events: createEvents(core, archive),
    commands: createCommands(core, bounds, archive),
    keeper: createKeeper(core),
    term: () => core.state.term,
    close: core.close,
  };
}
