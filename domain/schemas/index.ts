export * from './event-types.ts';
export * from './registry.ts';
