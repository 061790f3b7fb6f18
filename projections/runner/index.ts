export { createProjectionRunner, type ProjectionRunner, type ProjectionRunnerOptions } from './runner.ts';
export type { Skip } from './skips.ts';
