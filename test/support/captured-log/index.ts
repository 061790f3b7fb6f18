export { type CapturedLog, captureLog } from './captured-log.ts';
