import { setTimeout } from 'node:timers/promises';

/** Resolves as soon as it is so. The test's own time-out ends the waiting when it never is. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(1);
}
