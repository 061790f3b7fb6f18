export * from './events.ts';
export * from './memory.ts';
