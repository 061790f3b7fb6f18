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
  const idOf = (item: Json) => JSON.stringify(isObject(item) ? item[key] : item);
  const known = new Map(current.map((item, at) => [idOf(item), { item, at }]));
  const patched = patch.filter(isObject);
  const named = new Set(patched.map(idOf));
  const rest = current.filter((item) => !named.has(idOf(item)));
  const items = patched
    .filter((each) => each.$patch !== 'delete')
    .map((each) => ({ at: known.get(idOf(each))?.at ?? -1, item: strategicPatch(known.get(idOf(each))?.item, each, `${field}[]`) }));
  return interleave(
    items,
    rest.map((item) => ({ at: known.get(idOf(item))?.at ?? -1, item })),
  );
}

interface Placed {
  readonly at: number;
  readonly item: Json;
}

/** Items of the patch in its order, those it does not name where they were before; new ones as early as the order of the patch allows. */
function interleave(patched: readonly Placed[], rest: readonly Placed[]): Json[] {
  const result: Json[] = [];
  let next = 0;
  for (const each of patched) {
    for (let other = rest[next]; other && other.at < each.at; other = rest[next]) {
      result.push(other.item);
      next += 1;
    }
    result.push(each.item);
  }
  return [...result, ...rest.slice(next).map(({ item }) => item)];
}

function clean(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('$')));
}
