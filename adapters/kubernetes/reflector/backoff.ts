/** Seconds-scale pauses between attempts of one kind. */
export interface Backoff {
  /** Milliseconds to wait now. Grows with each call. */
  next(): number;
  /** It went well: the next failure starts small again. */
  reset(): void;
  readonly failures: number;
}

const first = 1_000;
const most = 120_000;
/** After so many failures nobody expects it back soon. */
const patient = 20;
const seldom = 300_000;

/** 1 s doubling to 2 min, after 20 attempts every 5 min, each between half and the whole of it: kinds that failed together must not come back together. */
export function backoff(random: () => number): Backoff {
  let failures = 0;
  return {
    next() {
      const full = failures >= patient ? seldom : Math.min(most, first * 2 ** failures);
      failures += 1;
      return full * (0.5 + random() / 2);
    },
    reset() {
      failures = 0;
    },
    get failures() {
      return failures;
    },
  };
}
