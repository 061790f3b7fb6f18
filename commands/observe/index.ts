export * from './observer.ts';
