/** Time and chance come through this port, so that tests own them. */
export interface Clock {
  /** Milliseconds since the epoch. May jump; use it for what people read. */
  now(): number;
  /** Milliseconds of a clock that never jumps. Use it for leases and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** 0 <= x < 1. For jitter and ids that need not be secret. */
  random(): number;
}
