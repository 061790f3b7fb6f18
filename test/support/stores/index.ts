export { acceptance, appended, collect, events, fact, head, observation, readAll } from './givens.ts';
export { embeddedFile, embeddedMemory, type OpenStore, type StoreOptions, type StoreUnderTest, valkeyStore } from './stores.ts';
