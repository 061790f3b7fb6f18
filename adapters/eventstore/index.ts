export { createEventStoreArchive, type EventStoreArchiveOptions } from './archive.ts';
