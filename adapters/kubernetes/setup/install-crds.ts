import { z } from 'zod';
import { ClusterRefused } from '../../../domain/errors.ts';
import { customResourceDefinitions } from '../../../domain/kinds.ts';
import type { Clock, Cluster, Log } from '../../../domain/ports/index.ts';
import type { CrdDefinition } from './load-crds.ts';

const conditionsSchema = z.object({
  conditions: z.array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() })).optional(),
});

/** Milliseconds between looks. The server takes a second or so from the definition to serving it. */
const look = 100;
const conflicts = 5;

/**
 * Applies the definitions and waits until each is Established and really served: a watch that starts a moment too early is answered 404.
 * Fields that others added stay theirs. Rejects with the signal's reason when that takes too long, or with the server's refusal.
 */
export async function installCrds(
  cluster: Installer,
  definitions: readonly CrdDefinition[],
  how: { readonly signal: AbortSignal; readonly log: Log; readonly clock: Clock },
): Promise<void> {
  await Promise.all(
    definitions.map(async (definition) => {
      await apply(cluster, definition, how);
      await established(cluster, definition, how);
      how.log.debug('a custom resource definition is in place', { name: definition.object.metadata.name });
    }),
  );
}

type Installer = Pick<Cluster, 'apply' | 'get' | 'list'>;
type How = { readonly signal: AbortSignal; readonly clock: Clock };

/** Forced, because the schema has to be this release's, whoever wrote it before. Two replicas that do so at once may still collide. */
async function apply(cluster: Installer, { object }: CrdDefinition, { signal, clock }: How): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await cluster.apply(customResourceDefinitions, object, { force: true, signal });
      return;
    } catch (error) {
      if (!ClusterRefused.is(error) || error.data.status !== 409 || tries >= conflicts) throw error;
      await clock.sleep(look, signal);
    }
  }
}

async function established(cluster: Installer, { object, kind }: CrdDefinition, { signal, clock }: How): Promise<void> {
  for (;;) {
    const stored = await cluster.get(customResourceDefinitions, { name: object.metadata.name }, { signal });
    const conditions = conditionsSchema.safeParse(stored?.status ?? {}).data?.conditions ?? [];
    const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
    // Somebody else's kind has the name: waiting would not help.
    if (refused) throw ClusterRefused({ status: 409, reason: 'Conflict', message: refused.message ?? 'its names are taken' });
    const there = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
    if (there && (await served(cluster, kind, signal))) return;
    await clock.sleep(look, signal);
  }
}

async function served(cluster: Installer, kind: CrdDefinition['kind'], signal: AbortSignal): Promise<boolean> {
  try {
    await cluster.list(kind, { limit: 1, signal });
    return true;
  } catch (error) {
    if (ClusterRefused.is(error) && (error.data.status === 404 || error.data.status === 429 || error.data.status === 503)) return false;
    throw error;
  }
}
