export { createEmbeddedViewStore } from './view-store.ts';
