import { hostAndPort, type ValkeyAddress, valkeyAddress } from './address.ts';
import type { Configuration } from './configuration.ts';

/** Where Valkey is and how to get in, from the address and the settings beside it. */
export interface ValkeyTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: number;
  /** Absent: no TLS. `caFile` replaces the system's trust store when it is not empty. */
  readonly tls?: { readonly verify: boolean; readonly caFile: string };
}

/** What the URL names wins; what it leaves out comes from the other settings. */
export function valkeyTarget(config: Configuration): ValkeyTarget {
  const address = valkey(config.get('MO_VALKEY_ADDR'));
  const tls = address.tls || config.get('MO_VALKEY_TLS_ENABLED');
  return {
    host: address.host,
    port: address.port,
    username: address.username ?? config.get('MO_VALKEY_USERNAME'),
    password: address.password ?? config.get('MO_VALKEY_PASSWORD'),
    database: address.database ?? config.get('MO_VALKEY_DATABASE'),
    ...(tls
      ? { tls: { verify: !config.get('MO_VALKEY_TLS_INSECURE_SKIP_VERIFY'), caFile: config.get('MO_VALKEY_TLS_CA_CERT_FILE') } }
      : {}),
  };
}

function valkey(text: string): ValkeyAddress {
  const parsed = valkeyAddress(text);
  if ('reason' in parsed) throw new TypeError(parsed.reason); // `get` has refused it before
  return parsed.value;
}

/** The address to listen on. An empty host means all interfaces. */
export function listenAddress(config: Configuration): { readonly host: string; readonly port: number } {
  const parsed = hostAndPort(config.get('MO_HTTP_ADDR'));
  if ('reason' in parsed) throw new TypeError(parsed.reason); // `get` has refused it before
  return parsed.value;
}

/** The platform to connect to. */
export interface PlatformTarget {
  readonly apiServer: string;
  readonly eventServer: string;
  readonly clients: number;
  readonly apiKey: string;
  readonly verifyTls: boolean;
}

/** Undefined when the operator runs on its own. Throws `ConfigurationInvalid` when only half of it is there. */
export function platformTarget(config: Configuration): PlatformTarget | undefined {
  if (!config.linked()) return undefined;
  return {
    apiServer: config.get('MO_API_SERVER'),
    eventServer: config.get('MO_EVENT_SERVER'),
    clients: config.get('MO_API_SERVER_CLIENTS'),
    apiKey: config.get('MO_API_KEY'),
    verifyTls: !config.get('MO_SKIP_TLS_VERIFICATION'),
  };
}
