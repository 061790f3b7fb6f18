import { RequestInvalid } from '../../domain/errors.ts';
import type { ObjectRef, ResourceKind } from '../../domain/ports/index.ts';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `/api/v1/namespaces/ns/pods` or, without a namespace, all of them. */
export function collectionPath(kind: ResourceKind, namespace?: string): string {
  const root = kind.group === '' ? `/api/${segment(kind.version)}` : `/apis/${segment(kind.group)}/${segment(kind.version)}`;
  const scope = kind.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
  return `${root}${scope}/${segment(kind.plural)}`;
}

/** Throws `RequestInvalid` when a namespaced kind comes without one: the path would mean something else. */
export function objectPath(kind: ResourceKind, ref: ObjectRef, subresource?: string): string {
  if (kind.namespaced && !ref.namespace) throw RequestInvalid({ text: `${kind.kind} "${ref.name}" needs a namespace` });
  const path = `${collectionPath(kind, ref.namespace)}/${segment(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export function query(params: Query): string {
  let text = '';
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === '' || value === false) continue;
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}

/** Names come from outside: a slash or dots in one must not lead to another resource. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') throw RequestInvalid({ text: `"${name}" is no name of a Kubernetes resource` });
  return encodeURIComponent(name);
}
