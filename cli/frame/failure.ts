/** Exit codes; they are part of the interface. */
export const exit = {
  ok: 0,
  failed: 1,
  /** An error that nobody caught. */
  crashed: 2,
  usage: 80,
  /** Stopping took longer than it may. */
  overdue: 126,
} as const;

/** Ends a command with a sentence for the person, without a stack. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  /** What to do about it. */
  readonly hint: string | undefined;
  readonly code: number;
  constructor(message: string, how: { readonly hint?: string; readonly code?: number; readonly cause?: unknown } = {}) {
    super(message, how.cause === undefined ? undefined : { cause: how.cause });
    this.hint = how.hint;
    this.code = how.code ?? exit.failed;
  }
}

/** A wrong argument that only the command itself could notice: shown with the usage, like those the parser finds. */
export class UsageWrong extends Error {
  override readonly name = 'UsageWrong';
}
