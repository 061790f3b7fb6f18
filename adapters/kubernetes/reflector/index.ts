export { type ConnectedObjectSource, createObjectSource, type ObjectSourceOptions } from './source.ts';
