export { type Client, createClient, type Query, Refused } from './client.ts';
export * as shapes from './shapes.ts';
export type { ServerMessage } from './sse.ts';
