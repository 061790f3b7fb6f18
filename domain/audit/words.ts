/** Stands in place of a secret. */
export const mark = '***[REDACTED]***';
/** In place of a text that may hold secrets and can't be read to find them. */
export const unreadable = '***[REDACTED: unreadable]***';
/** With the first 8 hex digits of a digest, where a change must be visible. */
export const digested = (digest: string): string => `***[REDACTED:sha256:${digest.slice(0, 8)}]***`;

const secretKeys: ReadonlySet<string> = new Set([
  'password',
  'passwd',
  'passphrase',
  'token',
  'apikey',
  'accesstoken',
  'refreshtoken',
  'authtoken',
  'bearertoken',
  'clientsecret',
  'authorization',
  'privatekey',
  'prometheuspass',
  'prometheustoken',
]);

const plain = (key: string): string => key.toLowerCase().replace(/[_-]/g, '');

/** Keys whose values are secrets wherever they stand; `_`, `-` and case make no difference. */
export const isSecretKey = (key: string): boolean => secretKeys.has(plain(key));

/** In the values of a chart: `adminPassword`, `auth.rootToken` and the like too, because charts name them as they like. */
export const isSecretValueKey = (key: string): boolean => /(password|passwd|token|apikey|secret|secretkey|privatekey)$/.test(plain(key));

/** A text that may be a manifest of a Secret. */
export const mayHoldSecret = (text: string): boolean => /\bkind["']?\s*:\s*["']?Secret/i.test(text);

/** A text in which a word for secrets is followed by something. */
export const mayHoldPassword = (text: string): boolean => /(passw|token|api[_-]?key|secret|private[_-]?key)[\w-]*["']?\s*[:=]/i.test(text);
