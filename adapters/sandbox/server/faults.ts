/** A fault the next fitting requests meet. */
export interface Fault {
  /** How many requests; default 1. */
  readonly count?: number;
  /** Only requests with this method and whose path and query match. */
  readonly method?: string;
  readonly path?: RegExp;
  /** Only watches, or only what is no watch. */
  readonly watch?: boolean;
  /** The answer: status, reason and sentence of a `Status`. Without a code the connection is cut. */
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** True: the request takes effect first, and only its answer is lost. */
  readonly afterEffect?: boolean;
}

/** Faults that wait for their request. */
export class Faults {
  private waiting: { readonly fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.waiting.push({ fault, left: fault.count ?? 1 });
  }

  take(request: { readonly method: string; readonly url: string }): Fault | undefined {
    const isWatch = /[?&]watch=(true|1)(&|$)/.test(request.url);
    const found = this.waiting.find(
      ({ fault }) =>
        (fault.method === undefined || fault.method === request.method) &&
        (fault.path === undefined || fault.path.test(request.url)) &&
        (fault.watch === undefined || fault.watch === isWatch),
    );
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.waiting = this.waiting.filter((each) => each !== found);
    return found.fault;
  }

  clear(): void {
    this.waiting = [];
  }
}
