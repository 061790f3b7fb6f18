export * from './grant.ts';
