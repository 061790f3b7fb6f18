import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { createEventStoreArchive } from '../../../adapters/eventstore/index.ts';
import type { Archive } from '../../../domain/ports/index.ts';
import { noEventStore, realEventStore } from '../../support/eventstore/index.ts';
import { systemClock } from '../../support/valkey/index.ts';
import { archiveContract } from './suite.ts';

/** The same suite on the real server: what keeps the double honest. */
describe.skipIf(noEventStore)(`archive in a real EventStoreDB${noEventStore ? ` (skipped: ${noEventStore})` : ''}`, () => {
  const opened: Archive[] = [];
  let server: Awaited<ReturnType<typeof realEventStore>>;
  beforeAll(async () => {
    server = await realEventStore();
  }, 180_000);
  afterEach(async () => {
    for (const archive of opened.splice(0)) await archive.close();
  });
  afterAll(() => server?.stop());
  archiveContract(async () => {
    const clusterId = `test-${randomUUID()}`;
    const open = () => {
      const archive = createEventStoreArchive({ url: server.url, clusterId, clock: systemClock });
      opened.push(archive);
      return archive;
    };
    return { archive: open(), again: async () => open() };
  });
});
