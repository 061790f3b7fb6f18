export { type CollectedChanges, collectChanges } from './changes.ts';
