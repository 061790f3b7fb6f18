export * from './eventually.ts';
export * from './operator.ts';
