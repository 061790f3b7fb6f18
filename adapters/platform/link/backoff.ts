const first = 500;
const longest = 30_000;

/** Milliseconds to wait before the next dial after `failures` failed ones (1 is the first): 0.5, 1, 2, 4, 8, 16, 30, 30, ... s, each +-20 %. */
export function backoff(failures: number, random: () => number): number {
  const base = Math.min(longest, first * 2 ** Math.min(failures - 1, 16));
  return base * (0.8 + 0.4 * random());
}

/**
 * Milliseconds to wait after a connection that worked was lost. Not zero: when the platform restarts, all its operators lose their connections in the
 * same moment, and would come back in the same moment too.
 */
export const spread = (random: () => number): number => first * random();
