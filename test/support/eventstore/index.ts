export { noEventStore, realEventStore } from './real.ts';
export { type EventStoreDouble, eventStoreDouble } from './server.ts';
