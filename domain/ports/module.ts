/** What a module left behind when it stopped: what was still answered, and what was dropped and why. Empty when all was done. */
export interface Leftovers {
  readonly dropped: readonly string[];
}

/** A part of the process. `create…(options)` validates and connects nothing; then it starts and stops one way. */
export interface Module {
  readonly name: string;
  /** Resolves when the module does its work or keeps trying in the background. The signal aborts a start that takes too long. */
  start(signal: AbortSignal): Promise<void>;
  /** Refuses new work, drains, and reports what it dropped. `deadline` is in milliseconds from now. */
  stop(how: { readonly deadline: number }): Promise<Leftovers>;
}
