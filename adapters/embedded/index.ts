export { createEmbeddedStore, type EmbeddedOptions, type EmbeddedStore } from './store.ts';
export { createEmbeddedViewStore } from './views/index.ts';
