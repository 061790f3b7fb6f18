export interface ValkeyProgram {
  readonly command: string;
  /** To be put before the server's own arguments. */
  readonly args: readonly string[];
  /** `valkey 8.0.1` or `redis 7.2.4`. */
  readonly version: string;
}

/** A Valkey or Redis that holds the log, from PATH or the distribution's packages; undefined when none can be had. `log` says why. */
export function findValkey(how?: { readonly log?: (sentence: string) => void }): Promise<ValkeyProgram | undefined>;
