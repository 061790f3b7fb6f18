export { createValkeyViewStore } from './view-store.ts';
