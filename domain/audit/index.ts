export * from './attribution.ts';
export * from './diff.ts';
export * from './policy.ts';
export * from './redact.ts';
