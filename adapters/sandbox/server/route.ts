import type { Registry } from '../kinds/registry.ts';
import type { Kind } from '../model/kind.ts';

/** What a path names. */
export type Route =
  | { readonly is: 'object'; readonly kind: Kind; readonly namespace: string; readonly name: string; readonly subresource: string }
  | { readonly is: 'collection'; readonly kind: Kind; readonly namespace: string }
  | { readonly is: 'core' }
  | { readonly is: 'groups' }
  | { readonly is: 'group'; readonly name: string }
  | { readonly is: 'resources'; readonly apiVersion: string }
  | { readonly is: 'plain'; readonly path: string }
  /** A group version that is served, but not this resource: answered with a Status; other unknown paths with plain text. */
  | { readonly is: 'unknown'; readonly within: boolean };

/** `/api/v1/…` and `/apis/group/version/…`, with `namespaces/NAME/` before what is in one. */
export function route(registry: Registry, path: string): Route {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  const [root, ...rest] = parts;
  if (root === 'api') {
    if (rest.length === 0) return { is: 'core' };
    return rest[0] === 'v1' ? below(registry, 'v1', rest.slice(1)) : { is: 'unknown', within: false };
  }
  if (root === 'apis') {
    const [group, version, ...more] = rest;
    if (group === undefined) return { is: 'groups' };
    if (version === undefined) return { is: 'group', name: group };
    return below(registry, `${group}/${version}`, more);
  }
  return { is: 'plain', path: `/${parts.join('/')}` };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function below(registry: Registry, apiVersion: string, parts: readonly string[]): Route {
  if (!registry.serves(apiVersion)) return { is: 'unknown', within: false };
  if (parts.length === 0) return { is: 'resources', apiVersion };
  const [first = '', namespace = '', plural, ...more] = parts;
  // `/namespaces/x` and its subresources are the namespace itself; anything else after it lies inside.
  const inside = first === 'namespaces' && plural !== undefined && plural !== 'status' && plural !== 'finalize';
  const rest = inside ? [plural, ...more] : parts;
  const [resource = '', name, subresource = '', ...tail] = rest;
  const kind = registry.find(apiVersion, resource);
  if (!kind || tail.length > 0 || (inside && !kind.namespaced)) return { is: 'unknown', within: true };
  const where = inside ? namespace : '';
  if (name === undefined) return { is: 'collection', kind, namespace: where };
  if (kind.namespaced && !inside) return { is: 'unknown', within: true };
  if (subresource !== '' && !(subresource === 'status' && kind.status) && !(subresource === 'finalize' && kind.plural === 'namespaces')) {
    return { is: 'unknown', within: true };
  }
  return { is: 'object', kind, namespace: where, name, subresource };
}
