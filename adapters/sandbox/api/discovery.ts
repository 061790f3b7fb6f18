import type { Registry } from '../kinds/registry.ts';
import type { JsonObject } from '../model/json.ts';
import { apiVersionOf, type Kind } from '../model/kind.ts';

const statusVerbs = ['get', 'patch', 'update'];
const order = (one: string, other: string): number => (one < other ? -1 : 1);
const named = (kinds: readonly Kind[]): Kind[] => [...kinds].sort((one, other) => order(one.plural, other.plural));

/** `APIResourceList` of `v1` or `group/version`; undefined when nothing is served there. */
export function resourceList(registry: Registry, apiVersion: string): JsonObject | undefined {
  const kinds = registry.kindsOf(apiVersion);
  if (kinds.length === 0) return undefined;
  const resources = named(kinds).flatMap((kind): JsonObject[] => [
    {
      name: kind.plural,
      singularName: kind.singular,
      namespaced: kind.namespaced,
      kind: kind.kind,
      verbs: [...kind.verbs],
      ...(kind.shortNames.length === 0 ? {} : { shortNames: [...kind.shortNames] }),
      ...(kind.categories.length === 0 ? {} : { categories: [...kind.categories] }),
    },
    ...(kind.status
      ? [{ name: `${kind.plural}/status`, singularName: '', namespaced: kind.namespaced, kind: kind.kind, verbs: statusVerbs }]
      : []),
  ]);
  return { kind: 'APIResourceList', ...(apiVersion === 'v1' ? {} : { apiVersion: 'v1' }), groupVersion: apiVersion, resources };
}

export function group(registry: Registry, name: string): JsonObject | undefined {
  const versions = [...(registry.groups().get(name) ?? [])].map((version) => ({ groupVersion: `${name}/${version}`, version }));
  const [preferredVersion] = versions;
  return preferredVersion && name !== '' ? { kind: 'APIGroup', apiVersion: 'v1', name, versions, preferredVersion } : undefined;
}

export function groupList(registry: Registry): JsonObject {
  const groups = [...registry.groups().keys()].flatMap((name) => {
    const found = group(registry, name);
    if (!found) return [];
    const { kind, apiVersion, ...rest } = found;
    return [rest];
  });
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

export const coreVersions = (address: string): JsonObject => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
});

/** Aggregated discovery (v2) of the core group or of all others. */
export function aggregated(registry: Registry, core: boolean): JsonObject {
  const names = [...registry.groups().keys()].filter((name) => (name === '') === core);
  const items = names.map((name): JsonObject => {
    const versions = [...(registry.groups().get(name) ?? [])].map((version): JsonObject => {
      const kinds = named(registry.kindsOf(apiVersionOf({ group: name, version })));
      return { version, resources: kinds.map(described), freshness: 'Current' };
    });
    return { metadata: name === '' ? {} : { name }, versions };
  });
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function described(kind: Kind): JsonObject {
  const responseKind = kind.custom
    ? { group: kind.group, version: kind.version, kind: kind.kind }
    : { group: '', version: '', kind: kind.kind };
  return {
    resource: kind.plural,
    responseKind,
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: [...kind.verbs],
    ...(kind.shortNames.length === 0 ? {} : { shortNames: [...kind.shortNames] }),
    ...(kind.categories.length === 0 ? {} : { categories: [...kind.categories] }),
    ...(kind.status ? { subresources: [{ subresource: 'status', responseKind, verbs: statusVerbs }] } : {}),
  };
}

export const versionInfo: JsonObject = {
  major: '1',
  minor: '34',
  gitVersion: 'v1.34.4',
  gitCommit: 'sandbox',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
};
