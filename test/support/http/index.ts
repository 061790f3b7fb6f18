export { type CurlLine, curlLines } from './curl.ts';
export { type Answer, bearer, eventOf, type Harness, openHttp } from './harness.ts';
export { createMemoryLog, type MemoryLog } from './memory-log.ts';
export { type OpenStream, openStream, openUnread, type StreamMessage } from './stream.ts';
