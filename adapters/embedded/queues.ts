import { comparePositions } from '../../domain/event/index.ts';
import type { Claim } from '../../domain/ports/index.ts';
import type { Draft } from './core.ts';
import type { State } from './state.ts';

/** When a head may be claimed (epoch ms). Not in the file: the process that held them is gone when it is read. */
export type Leases = Map<string, { readonly until: number; readonly claimed: boolean }>;

/** Whoever holds the newest fence may finish, even when the lease ran out and nobody came. */
export function holds(state: State, { command, aggregate, fence }: Claim): boolean {
  return fence > 0 && state.open.get(command)?.fence === fence && state.queues.get(aggregate)?.[0] === command;
}

/** Heads that may be claimed now, longest waiting first. */
export function claimable(state: State, leases: Leases, now: number, limit: number): readonly string[] {
  return [...state.queues.values()]
    .flatMap(([head]) => state.open.get(head ?? '') ?? [])
    .filter(({ command }) => (leases.get(command)?.until ?? 0) <= now)
    .sort((a, b) => comparePositions(a.position, b.position))
    .slice(0, limit)
    .map(({ command }) => command);
}

export function takeHead(draft: Draft, leases: Leases, command: string, lease: number): void {
  const attempt = (draft.state.open.get(command)?.attempt ?? 0) + 1;
  // Several claims of one call must not share a fence, and a fence must rise after the file was read anew.
  draft.state.fence += 1;
  draft.push({ k: 'claim', command, fence: draft.state.fence, attempt });
  draft.after(() => leases.set(command, { until: draft.now + lease, claimed: true }));
}
