import { readFileSync } from 'node:fs';
import type { Grantee } from './types.ts';

/** The kubelet writes a new token long before the old one ends; a minute is what other clients wait, too. */
const freshFor = 60_000;

/** A bearer token in a file that is rotated under us: read again each minute, and at once when it was refused. */
export function tokenFile(path: string, monotonic: () => number): Grantee {
  let read: { headers: Record<string, string>; at: number } | undefined;
  return {
    read() {
      const now = monotonic();
      if (read === undefined || now - read.at >= freshFor) {
        read = { headers: { authorization: `Bearer ${readFileSync(path, 'utf8').trim()}` }, at: now };
      }
      return read;
    },
    refresh() {
      read = undefined;
    },
  };
}
