export type { OperatorDatagram } from './datagram.ts';
export type { StandInOptions, StandInTls } from './options.ts';
export type { Connection, Kind } from './sockets.ts';
export { type Answered, createStandInPlatform, type SendOptions, type StandInPlatform } from './stand-in.ts';
