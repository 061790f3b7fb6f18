export type { ArchiveReader } from './archive.ts';
export { type CommandLogOptions, createValkeyCommandLog } from './command-log.ts';
export { createValkeyConnection, type ValkeyConnection, type ValkeyOptions, type ValkeyState } from './connection.ts';
export { createValkeyEventStore, type EventStoreOptions, type ValkeyEventStore } from './event-store.ts';
export { createValkeyLogKeeper } from './keeper.ts';
export { type KeyDoc, keys } from './keys.ts';
export { type Durability, examine, type Found } from './suitability.ts';
export { createValkeyViewStore } from './view-store/index.ts';
export { type Argument, createWire, type Wire } from './wire.ts';
