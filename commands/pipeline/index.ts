export { guardWrites } from './guard.ts';
export * from './options.ts';
export * from './pipeline.ts';
