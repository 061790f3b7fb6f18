export { createEmbeddedStore, type EmbeddedOptions, type EmbeddedStore } from './store.ts';
