import type { StoredObject } from '../../../domain/ports/index.ts';

/**
 * When a Lease last changed, by this process's own clock: the times in a Lease are of another machine, whose clock may be wrong.
 */
export function observe(leaseDuration: number) {
  let version: string | undefined;
  let changedAt = 0;
  return {
    look(lease: StoredObject | undefined, monotonic: number): void {
      const now = lease && `${lease.metadata.uid}/${lease.metadata.resourceVersion}`;
      if (now === version) return;
      version = now;
      changedAt = monotonic;
    },
    /** True when it has not changed for as long as its holder promised to renew it, or as long as we would wait. */
    expired: (durationMs: number | undefined, monotonic: number): boolean =>
      monotonic - changedAt >= Math.max(durationMs ?? 0, leaseDuration),
  };
}
