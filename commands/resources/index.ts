export * from './attribution.ts';
export * from './effects.ts';
export * from './wire.ts';
