export { conditionsOf } from './conditions.ts';
export * from './engine.ts';
export { grantLabel, reconcileGrant } from './grant.ts';
export type { ReconcilerStatus } from './results.ts';
export * from './step.ts';
export { reconcileWorkspace } from './workspace.ts';
