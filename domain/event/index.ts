export * from './event.ts';
export * from './names.ts';
