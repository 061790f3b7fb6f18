import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { createEventStoreArchive } from '../../../adapters/eventstore/index.ts';
import type { Archive } from '../../../domain/ports/index.ts';
import { type EventStoreDouble, eventStoreDouble } from '../../support/eventstore/index.ts';
import { systemClock } from '../../support/valkey/index.ts';
import { archiveContract } from './suite.ts';

describe.each([
  ['in one stream of batches', true],
  ['of a server that knows single appends only', false],
])('archive in EventStoreDB, %s', (_, batchAppend) => {
  const opened: Archive[] = [];
  let server: EventStoreDouble;
  let n = 0;
  beforeAll(async () => {
    server = await eventStoreDouble({ batchAppend });
  });
  afterEach(async () => {
    for (const archive of opened.splice(0)) await archive.close();
  });
  afterAll(() => server.stop());
  archiveContract(async () => {
    n += 1;
    const clusterId = `test-${n}`;
    const open = () => {
      const archive = createEventStoreArchive({ url: server.url, clusterId, clock: systemClock });
      opened.push(archive);
      return archive;
    };
    return { archive: open(), again: async () => open() };
  });
});
