export { createEraser, type Eraser } from './eraser.ts';
export { createLog, type Level, type LogOptions, type RootLog } from './log.ts';
export { type LineWriter, openLineWriter } from './standard-error.ts';
