export * from './commands.ts';
export * from './counting.ts';
export * from './set-up.ts';
export * from './silent.ts';
