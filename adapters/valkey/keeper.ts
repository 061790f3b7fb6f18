import { origin, type Position } from '../../domain/event/index.ts';
import type { LogKeeper } from '../../domain/ports/index.ts';
import type { ValkeyConnection } from './connection.ts';
import { asList, asNumber, asPosition, asText } from './reply.ts';
import { fields } from './suitability.ts';
import { forgetIds } from './tidy.ts';

/** Events that one call removes: below what makes other callers wait noticeably. */
const slice = 200;

export function createValkeyLogKeeper(connection: ValkeyConnection): LogKeeper {
  const log = `${connection.tag}:log`;
  const first = async (): Promise<Position> => {
    const [entry] = asList(await connection.fetch('XRANGE', [log, '-', '+', 'COUNT', 1]));
    return entry === undefined ? origin : asPosition(asList(entry)[0]);
  };
  return {
    async size() {
      const [bytes, info] = await Promise.all([
        connection.fetch('MEMORY', ['USAGE', log, 'SAMPLES', 100]),
        connection.fetch('INFO', ['memory']),
      ]);
      const { maxmemory, used_memory } = fields(asText(info));
      return { bytes: bytes === null ? 0 : asNumber(bytes), maxmemory: asNumber(maxmemory), usedMemory: asNumber(used_memory) };
    },
    async archived() {
      const position = await connection.fetch('GET', [`${connection.tag}:archived`]);
      return position === null ? origin : asPosition(position);
    },
    async markArchived(upTo) {
      await connection.callDurably('mark_archived', [upTo]);
    },
    async oldestOpenCommand() {
      const position = asText(await connection.call('oldest_open', []));
      return position === '' ? undefined : asPosition(position);
    },
    async trim(upTo) {
      let removed = 0;
      for (;;) {
        const [count, stopped, more] = asList(await connection.callDurably('trim', [upTo, slice]));
        removed += asNumber(count);
        if (asNumber(more) === 1) continue;
        await forgetIds(connection.call);
        const answer = { removed, first: await first() };
        return stopped === 'open command' || stopped === 'not archived' ? { ...answer, stoppedBy: stopped } : answer;
      }
    },
  };
}
