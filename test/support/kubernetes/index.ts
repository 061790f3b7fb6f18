export { apiContract } from './contract.ts';
export { badRequest, failure, invalidThing } from './expected.ts';
export { type Peer, peerOf, type Reply } from './peer.ts';
export { Subject } from './subject.ts';
export { realServer, sandbox } from './targets.ts';
export { thing, thingDefinition } from './things.ts';
export { at, listAt, namesIn, textAt } from './tidy.ts';
export { type Events, type WatchEvent, watchLines } from './watch-lines.ts';
