export { type Builder, createBuilder } from './builder.ts';
export { createProjectionRunner, type ProjectionRunner, type ProjectionRunnerOptions } from './runner.ts';
export { createSkips, type Skip } from './skips.ts';
export { createSlot } from './slot.ts';
