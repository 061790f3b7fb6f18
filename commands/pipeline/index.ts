export * from './options.ts';
export * from './pipeline.ts';
