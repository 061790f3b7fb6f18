export type { TlsTrust } from './link/dial.ts';
export { createPlatformLink, type LinkOptions, type LinkState, type PlatformLink } from './link/link.ts';
export type { Frame } from './link/outbox.ts';
export { createPlatform, type Platform, type PlatformOptions, type PlatformUpdate } from './platform.ts';
