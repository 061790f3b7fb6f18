import type { Registry } from '../kinds/registry.ts';
import type { JsonObject } from '../model/json.ts';
import { apiVersionOf, type Kind } from '../model/kind.ts';

const root = (group: string): string => (group === '' ? 'api' : 'apis');
const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string' },
}));

/** The addresses of the documents below. */
export function openapiPaths(registry: Registry): JsonObject {
  const versions = [...registry.groups()].flatMap(([group, all]) =>
    [...all].map((version) => `${root(group)}/${apiVersionOf({ group, version })}`),
  );
  return { paths: Object.fromEntries(versions.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}` }])) };
}

/**
 * As much OpenAPI of one group version as clients need to see that the server validates fields and dry-runs patches itself;
 * without it kubectl refuses to apply. Schemas are not told.
 */
export function openapi(registry: Registry, path: string): JsonObject | undefined {
  const apiVersion = path.replace(/^apis?\//, '');
  const kinds = registry.kindsOf(apiVersion).filter((kind) => kind.verbs.includes('patch'));
  if (registry.kindsOf(apiVersion).length === 0) return undefined;
  const paths = Object.fromEntries(kinds.map((kind) => [pathOf(kind), operations(kind)]));
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1.34.4' }, paths, components: { schemas: {} } };
}

const pathOf = (kind: Kind): string =>
  `/${root(kind.group)}/${apiVersionOf(kind)}/${kind.namespaced ? 'namespaces/{namespace}/' : ''}${kind.plural}/{name}`;

function operations(kind: Kind): JsonObject {
  const { group, version } = kind;
  return { patch: { parameters, 'x-kubernetes-action': 'patch', 'x-kubernetes-group-version-kind': { group, version, kind: kind.kind } } };
}
