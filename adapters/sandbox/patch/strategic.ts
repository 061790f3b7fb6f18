import { isObject, type Json, type JsonObject, same } from '../model/json.ts';

/** The key by which items of a list are merged, by the name of the list's field. Lists not named here are replaced. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  secrets: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  conditions: 'type',
  hostAliases: 'ip',
  ownerReferences: 'uid',
};
const merged = new Set(['finalizers']);

const keyFor = (field: string, parent: string): string | undefined =>
  field === 'ports' ? (parent === 'spec' ? 'port' : 'containerPort') : mergeKeys[field];

/** Strategic merge patch as far as built-in kinds need it: maps merged, keyed lists merged, `$patch` delete and replace, `$deleteFromPrimitiveList`, `$retainKeys`. */
export function strategicPatch(target: Json | undefined, patch: Json, field = ''): Json {
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') return clean(patch);
  if (patch.$patch === 'delete') return {};
  const result: JsonObject = isObject(target) ? { ...target } : {};
  if (Array.isArray(patch.$retainKeys)) for (const key of Object.keys(result)) if (!patch.$retainKeys.includes(key)) delete result[key];
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$deleteFromPrimitiveList/')) {
      const list = key.slice('$deleteFromPrimitiveList/'.length);
      const current = result[list];
      if (Array.isArray(current) && Array.isArray(value)) result[list] = current.filter((each) => !value.some((gone) => same(gone, each)));
    } else if (key.startsWith('$')) continue;
    else if (value === null) delete result[key];
    else if (Array.isArray(value)) result[key] = mergedList(result[key], value, key, field);
    else if (isObject(value) && value.$patch === 'delete') delete result[key];
    else if (value !== undefined) result[key] = strategicPatch(result[key], value, key);
  }
  return result;
}

function mergedList(target: Json | undefined, patch: Json[], field: string, parent: string): Json[] {
  const current = Array.isArray(target) ? target : [];
  if (merged.has(field)) return [...current, ...patch.filter((each) => !current.some((own) => same(own, each)))];
  const key = keyFor(field, parent);
  if (key === undefined) return patch;
  if (patch.some((each) => isObject(each) && each.$patch === 'replace')) {
    return patch.filter((each) => !isObject(each) || each.$patch === undefined);
  }
  const result = [...current];
  const added: Json[] = [];
  for (const each of patch) {
    if (!isObject(each)) continue;
    const at = result.findIndex((own) => isObject(own) && same(own[key], each[key]));
    if (each.$patch === 'delete') {
      if (at >= 0) result.splice(at, 1);
    } else if (at >= 0) result[at] = strategicPatch(result[at], each, `${field}[]`);
    else added.push(clean(each));
  }
  // New items come first, in the order of the patch: so does the server.
  return [...added, ...result];
}

function clean(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('$')));
}
