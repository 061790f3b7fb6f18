export * from './commands.ts';
export * from './silent.ts';
