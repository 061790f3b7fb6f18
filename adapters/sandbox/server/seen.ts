import type { Clock } from '../../../domain/ports/index.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** Milliseconds of the clock that never jumps. */
  readonly at: number;
}

/** The newest requests, so that a test can count them. */
export class Seen {
  private readonly clock: Clock;
  private list: SeenRequest[] = [];
  /** All requests since the start. */
  total = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  note(method: string, url: string): void {
    this.total += 1;
    this.list.push({ method, url, at: this.clock.monotonic() });
    // Bounded: the older half goes.
    if (this.list.length > 2_000) this.list = this.list.slice(1_000);
  }

  all(): readonly SeenRequest[] {
    return [...this.list];
  }
}
