export { type Bell, createBell } from './bell.ts';
export { followLog } from './follow.ts';
export { openSse, type SsePort } from './reply.ts';
