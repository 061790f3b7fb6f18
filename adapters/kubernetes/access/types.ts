/** What a TLS handshake with the API server needs. A new object means new certificates: connections are made anew then. */
export interface ClusterTls {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** What a request carries to be let in. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: ClusterTls;
}

/** Where the API server is and how one gets in. */
export interface ClusterAccess {
  /** Scheme, host, port and maybe a path; without a slash at the end. */
  readonly server: string;
  /** For people: `in-cluster` or the path of the file it came from. */
  readonly source: string;
  /** The namespace of the context, if it names one. */
  readonly namespace?: string;
  /** An HTTP proxy that leads to the API server, if the configuration names one. */
  readonly proxy?: string;
  /** A value while what is known is fresh, else a promise: the hot path stays free of waiting. */
  credentials(): Credentials | Promise<Credentials>;
  /** Forgets what was refused (401): the next call asks the file or the plugin again. */
  refresh(): void;
}

/** A part of credentials: `headers` and, from plugins, a client certificate. */
export interface Grantee {
  read(): Partial<Credentials> | Promise<Partial<Credentials>>;
  refresh(): void;
}
