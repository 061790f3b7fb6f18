import { z } from 'zod';
import { ClusterUnavailable } from '../../domain/errors.ts';
import type { ResourceKind } from '../../domain/ports/index.ts';
import { parseJson } from './objects.ts';
import { refusal } from './refusal.ts';
import type { Transport } from './transport.ts';

interface Version {
  readonly version: string;
  readonly resources: readonly ResourceKind[];
}
interface Group {
  readonly name: string;
  /** In the order of the server's preference. */
  readonly versions: readonly Version[];
  readonly failed: boolean;
}

export interface Discovered {
  readonly kinds: readonly ResourceKind[];
  readonly failed: readonly string[];
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const aggregatedSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string().optional() }).optional(),
      versions: z
        .array(
          z.object({
            version: z.string(),
            freshness: z.string().optional(),
            resources: z
              .array(
                z.object({
                  resource: z.string(),
                  responseKind: z
                    .object({ kind: z.string().optional(), group: z.string().optional(), version: z.string().optional() })
                    .nullish(),
                  scope: z.string().optional(),
                  verbs: z.array(z.string()).nullish(),
                }),
              )
              .nullish(),
          }),
        )
        .nullish(),
    }),
  ),
});
const groupsSchema = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      versions: z.array(z.object({ groupVersion: z.string(), version: z.string() })),
      preferredVersion: z.object({ version: z.string() }).optional(),
    }),
  ),
});
const resourcesSchema = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean(), verbs: z.array(z.string()).nullish() })),
});
const coreSchema = z.object({ versions: z.array(z.string()) });

/**
 * Kinds that can be listed and watched, each in one version: the preferred one of its group, or the first other that has it.
 * Two requests where the server aggregates, one per version where it does not. A group that fails is named, the others count.
 */
export async function discover(transport: Transport, signal?: AbortSignal): Promise<Discovered> {
  const groups = (await Promise.all([rootOf(transport, '/api', signal), rootOf(transport, '/apis', signal)])).flat();
  return preferred(groups);
}

/** Server-preferred kinds of these groups. */
export function preferred(groups: readonly Group[]): Discovered {
  const kinds: ResourceKind[] = [];
  for (const { versions } of groups) {
    const taken = new Set<string>();
    for (const { resources } of versions) {
      for (const kind of resources) {
        if (taken.has(kind.plural)) continue;
        taken.add(kind.plural);
        // Endpoints are deprecated: EndpointSlices say the same, and watching both would say everything twice.
        if (kind.group === '' && kind.kind === 'Endpoints') continue;
        kinds.push(kind);
      }
    }
  }
  return { kinds, failed: groups.filter(({ failed }) => failed).map(({ name }) => name) };
}

async function rootOf(transport: Transport, path: '/api' | '/apis', signal?: AbortSignal): Promise<Group[]> {
  const answer = await transport.request({ method: 'GET', path, accept: `${aggregated},application/json`, signal });
  if (answer.status !== 200) throw refusal(answer);
  const value = parseJson(answer.text);
  if (answer.contentType.includes('APIGroupDiscoveryList')) return fromAggregated(read(aggregatedSchema, value));
  return path === '/api'
    ? [await oneByOne(transport, '', '/api', read(coreSchema, value).versions, signal)]
    : Promise.all(
        read(groupsSchema, value).groups.map(({ name, versions, preferredVersion }) => {
          const first = preferredVersion?.version;
          const order = versions.map(({ version }) => version).sort((a, b) => Number(b === first) - Number(a === first));
          return oneByOne(transport, name, `/apis/${name}`, order, signal);
        }),
      );
}

function fromAggregated({ items }: z.infer<typeof aggregatedSchema>): Group[] {
  return items.map((item) => {
    const group = item.metadata?.name ?? '';
    const versions = item.versions ?? [];
    return {
      name: group,
      // A stale group is what an aggregated server that is down leaves behind.
      failed: versions.some(({ freshness }) => freshness === 'Stale'),
      versions: versions.map(({ version, resources }) => ({
        version,
        resources: (resources ?? []).flatMap((resource) => {
          if (!watchable(resource.verbs) || !resource.responseKind?.kind) return [];
          return [
            { group, version, kind: resource.responseKind.kind, plural: resource.resource, namespaced: resource.scope === 'Namespaced' },
          ];
        }),
      })),
    };
  });
}

async function oneByOne(transport: Transport, group: string, root: string, order: readonly string[], signal?: AbortSignal): Promise<Group> {
  let failed = false;
  const versions = await Promise.all(
    order.map(async (version): Promise<Version> => {
      const answer = await transport.request({ method: 'GET', path: `${root}/${version}`, signal });
      if (answer.status !== 200) {
        failed = true;
        return { version, resources: [] };
      }
      const { resources } = read(resourcesSchema, parseJson(answer.text));
      return {
        version,
        resources: resources
          .filter(({ name, verbs }) => !name.includes('/') && watchable(verbs))
          .map(({ name, kind, namespaced }) => ({ group, version, kind, plural: name, namespaced })),
      };
    }),
  );
  return { name: group, versions, failed };
}

const watchable = (verbs: readonly string[] | null | undefined) => verbs?.includes('list') === true && verbs.includes('watch');

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw ClusterUnavailable({ reason: 'its discovery document has an unknown shape' }, parsed.error);
  return parsed.data;
}
