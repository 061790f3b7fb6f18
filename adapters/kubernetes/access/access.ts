import { readFileSync } from 'node:fs';
import type { ClusterAccess, ClusterTls, Credentials, Grantee } from './types.ts';

/** Certificates as a configuration names them: files win over base64 data. */
export interface TlsSources {
  readonly caFile?: string;
  readonly caData?: string;
  readonly certFile?: string;
  readonly certData?: string;
  readonly keyFile?: string;
  readonly keyData?: string;
  readonly servername?: string;
  readonly insecure?: boolean;
}

/** Certificate files are rotated like tokens, only more rarely. */
const freshFor = 300_000;

/** Puts certificates, credentials and fixed headers together. Reads the certificate files at once: one that is missing is said at start. */
export function access(from: {
  readonly server: string;
  readonly source: string;
  readonly namespace?: string;
  readonly proxy?: string;
  readonly tls: TlsSources;
  readonly grantee: Grantee;
  readonly headers?: Readonly<Record<string, string>>;
}): ClusterAccess {
  let files = readTls(from.tls);
  let readAt = performance.now();
  let last: { part: Partial<Credentials>; files: ClusterTls; whole: Credentials } | undefined;

  /** The same objects as long as nothing changed, so that callers can compare them. */
  function combine(part: Partial<Credentials>): Credentials {
    if (last?.part === part && last.files === files) return last.whole;
    const tls = part.tls ? { ...files, ...part.tls } : files;
    const whole = { headers: { ...part.headers, ...from.headers }, tls };
    last = { part, files, whole };
    return whole;
  }

  function rereadTls() {
    readAt = performance.now();
    const now = readTls(from.tls);
    if (!sameTls(now, files)) files = now;
  }

  return {
    server: from.server,
    source: from.source,
    namespace: from.namespace,
    proxy: from.proxy,
    credentials() {
      if (performance.now() - readAt >= freshFor) rereadTls();
      const part = from.grantee.read();
      return part instanceof Promise ? part.then(combine) : combine(part);
    },
    refresh() {
      from.grantee.refresh();
      rereadTls();
    },
  };
}

function readTls(from: TlsSources): ClusterTls {
  const bytes = (file?: string, data?: string) => (file ? readFileSync(file) : data ? Buffer.from(data, 'base64') : undefined);
  return {
    ca: bytes(from.caFile, from.caData),
    cert: bytes(from.certFile, from.certData),
    key: bytes(from.keyFile, from.keyData),
    servername: from.servername,
    rejectUnauthorized: from.insecure ? false : undefined,
  };
}

const same = (a?: string | Buffer, b?: string | Buffer) =>
  a === b || (a !== undefined && b !== undefined && Buffer.from(a).equals(Buffer.from(b)));
const sameTls = (a: ClusterTls, b: ClusterTls) => same(a.ca, b.ca) && same(a.cert, b.cert) && same(a.key, b.key);
