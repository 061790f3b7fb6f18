import { createFileArchive } from '../../adapters/archive/index.ts';
import type { Configuration } from '../../domain/configuration/index.ts';
import type { Archive, Clock } from '../../domain/ports/index.ts';

/** Where the log goes on when Valkey can't hold it: EventStoreDB when one is configured, else files when a folder is. */
export async function openArchive(config: Configuration, clusterId: string, clock: Clock): Promise<Archive | undefined> {
  const url = config.get('MO_EVENTSTOREDB_URL');
  if (url !== '') {
    // Its client has a native part and costs memory: only who uses it loads it.
    const { createEventStoreArchive } = await import('../../adapters/eventstore/index.ts');
    return createEventStoreArchive({ url, clusterId, clock });
  }
  const path = config.get('MO_ARCHIVE_PATH');
  return path === '' ? undefined : createFileArchive({ path, clusterId });
}
