import { buckets } from './bucket.ts';
import { asList, asNumber } from './reply.ts';
import type { Argument } from './wire.ts';

type Call = (name: string, args: readonly Argument[]) => Promise<unknown>;

/** Keys that one call unlinks: below what makes other callers wait noticeably. */
const slice = 512;

/** Forgets the append ids of the days before yesterday. */
export async function forgetIds(call: Call): Promise<void> {
  while (asNumber(await call('forget_ids', [buckets, slice])) === 1);
}

/** Says that this library is in use, and names those that a day has not used. */
export async function useLibrary(call: Call, library: string): Promise<readonly string[]> {
  return asList(await call('use_library', [library])).filter((name) => typeof name === 'string');
}
