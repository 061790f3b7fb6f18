export { hostAndPort, type ValkeyAddress } from './address.ts';
export { type Change, type Configuration, createConfiguration, type Problem, redacted, type Setting } from './configuration.ts';
export { booleanOf, type Declaration } from './declaration.ts';
export { declarations, type Key, keys, type Values } from './declarations.ts';
export { durationOf } from './duration.ts';
export { listenAddress, type PlatformTarget, platformTarget, type ValkeyTarget, valkeyTarget } from './targets.ts';
