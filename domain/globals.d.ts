// What the domain uses of the platform, all of it without effects. Only the domain's own tsconfig reads this; elsewhere Node's declaration holds.
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}

/** Reads a URL; it looks nothing up. */
declare class URL {
  constructor(text: string);
  static canParse(text: string): boolean;
  readonly protocol: string;
  readonly hostname: string;
}
