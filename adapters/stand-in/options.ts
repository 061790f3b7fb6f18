/** A TLS server's own papers, PEM. */
export interface StandInTls {
  readonly key: string;
  readonly cert: string;
}

export interface StandInOptions {
  /** On loopback; 0 (the default) takes a free one. */
  readonly port?: number;
  readonly tls?: StandInTls;
  /** The only API key that is let in; absent: any. */
  readonly apiKey?: string;
  /** Pushed events and strange frames kept; the oldest go. Default 10,000. */
  readonly kept?: number;
  /** Largest frame taken, in bytes. Default 1 GiB. */
  readonly maxFrameBytes?: number;
}

/** The user that requests carry unless another is given. */
export const usualUser = { firstName: 'Ann', lastName: 'Lee', email: 'ann@example.org', source: 'stand-in', apiKey: {} } as const;
