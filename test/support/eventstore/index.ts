export { type EventStoreDouble, eventStoreDouble } from './server.ts';
