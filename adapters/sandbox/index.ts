export type { User } from './api/reviews.ts';
export { createSandbox, type Sandbox, type SandboxControl, type SandboxOptions } from './sandbox.ts';
export type { Fault } from './server/faults.ts';
export type { SeenRequest } from './server/seen.ts';
