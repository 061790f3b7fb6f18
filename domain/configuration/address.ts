import type { Parsed } from './declaration.ts';

/** A `host:port` as Go reads it. An empty host is allowed and stays empty; IPv6 stands in brackets. */
export function hostAndPort(text: string): Parsed<{ readonly host: string; readonly port: number }> {
  const found = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d*)$/.exec(text);
  if (!found)
    return {
      reason: /^\[[^\]]*\]$|^[^:]*$/.test(text)
        ? `address ${text}: missing port in address`
        : `address ${text}: too many colons in address`,
    };
  const [, bracketed, plain = '', digits = ''] = found;
  const port = Number(digits);
  if (digits === '' || port > 65_535) return { reason: `address ${text}: invalid port "${digits}"` };
  return { value: { host: bracketed ?? plain, port } };
}

export interface ValkeyAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database?: number;
}

const urlForm = /^(valkey|redis|valkeys|rediss):\/\/(?:(.*)@)?(\[[^\]]*\]|[^:/?#@[\]]*)(?::(\d+))?(?:\/(\d*))?(?:\?.*)?$/s;

/**
 * `host:port`, or `valkey://user:password@host:port/database` (`redis:` too; `valkeys:` and `rediss:` mean TLS).
 * The user part ends at the last `@` and is percent-decoded, so that passwords work with and without encoding.
 */
export function valkeyAddress(text: string): Parsed<ValkeyAddress> {
  if (!text.includes('://')) {
    const parsed = hostAndPort(text);
    if ('reason' in parsed) return parsed;
    return { value: { host: parsed.value.host || 'localhost', port: parsed.value.port, tls: false } };
  }
  const found = urlForm.exec(text);
  // The text is not repeated: it may hold a password.
  if (!found) return { reason: 'the URL is not of the form valkey://user:password@host:port/database' };
  const [, scheme = '', user, host = '', port = '6379', database = ''] = found;
  if (host === '') return { reason: 'the URL names no host' };
  if (Number(port) === 0 || Number(port) > 65_535) return { reason: `invalid port "${port}"` };
  const colon = user?.indexOf(':') ?? -1;
  const username = user === undefined ? '' : decoded(colon < 0 ? user : user.slice(0, colon));
  const password = user === undefined || colon < 0 ? undefined : decoded(user.slice(colon + 1));
  return {
    value: {
      host: host.replace(/^\[|\]$/g, ''),
      port: Number(port),
      tls: scheme === 'valkeys' || scheme === 'rediss',
      ...(username === '' ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(database === '' ? {} : { database: Number(database) }),
    },
  };
}

/** The password of a URL as it stands there and decoded: neither may be printed. Works on text that is no valid URL too. */
export function passwordsIn(text: string): readonly string[] {
  const user = /^[^:]*:\/\/(.*)@/s.exec(text)?.[1];
  const colon = user?.indexOf(':') ?? -1;
  if (user === undefined || colon < 0) return [];
  const written = user.slice(colon + 1);
  return [...new Set([written, decoded(written)])].filter((password) => password !== '');
}

/** Refuses what no WebSocket client could dial. */
export function serverUrl(text: string, key: string): string | undefined {
  const refuse = (why: string) => `'${key}' needs to be a URL: ${why}`;
  if (!URL.canParse(text)) return refuse(text === '' ? 'it is empty' : 'it has no scheme and host, e.g. wss://api.example.com/ws');
  const { protocol, hostname } = new URL(text);
  if (protocol !== 'ws:' && protocol !== 'wss:') return refuse(`the scheme has to be ws or wss, not "${protocol.slice(0, -1)}"`);
  return hostname === '' ? refuse('it names no host') : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a lone % in a password that nobody encoded
  }
}
