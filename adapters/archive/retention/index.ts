export type { Pass, Retention, RetentionOptions } from './options.ts';
export { createRetention } from './retention.ts';
