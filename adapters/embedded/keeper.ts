import { comparePositions, origin, type Position } from '../../domain/event/index.ts';
import type { LogKeeper } from '../../domain/ports/index.ts';
import type { Core } from './core.ts';

export function createKeeper(core: Core): LogKeeper {
  const oldestOpen = (): Position | undefined => [...core.state.open.values()].map(({ position }) => position).sort(comparePositions)[0];
  return {
    // Counted only when somebody asks, and asked for seldom.
    size: async () => ({
      bytes: Buffer.byteLength(JSON.stringify(core.state.log)),
      maxmemory: 0,
      usedMemory: process.memoryUsage().heapUsed,
    }),
    archived: async () => core.state.archived,
    markArchived: async (position) => core.change((draft) => draft.push({ k: 'archived', position })),
    oldestOpenCommand: async () => oldestOpen(),
    async trim(upTo) {
      const open = oldestOpen();
      const asked = core.state.log.filter(({ position }) => comparePositions(position, upTo) <= 0);
      const archived = asked.filter(({ position }) => comparePositions(position, core.state.archived) <= 0);
      const free = archived.filter(({ position }) => open === undefined || comparePositions(position, open) < 0);
      const last = free.at(-1);
      if (last) {
        core.change((draft) => draft.push({ k: 'trim', position: last.position }));
        core.compact();
      }
      const answer = { removed: free.length, first: core.state.log[0]?.position ?? origin };
      if (free.length < archived.length) return { ...answer, stoppedBy: 'open command' };
      return archived.length < asked.length ? { ...answer, stoppedBy: 'not archived' } : answer;
    },
  };
}
