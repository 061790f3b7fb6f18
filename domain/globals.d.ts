// The one thing of the platform that ports speak of. Only the domain's own tsconfig reads this; elsewhere Node's declaration holds.
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}
