export { type Caller, createGuard, type Guard } from './access.ts';
