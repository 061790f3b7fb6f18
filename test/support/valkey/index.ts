export { clusterOn, systemClock, testLog } from './connection.ts';
export { type ProxyRule, type ValkeyProxy, valkeyProxy } from './proxy.ts';
export { noValkey, type ValkeyServer, type ValkeyServerOptions, valkeyServer } from './server.ts';
