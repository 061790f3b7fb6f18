import type { Attribution } from '../command/index.ts';
import type { KubernetesObject, ObjectText } from '../ports/index.ts';

/** The object an entry is about, as the object itself says. */
export function attributionOf(before: KubernetesObject | undefined, after: KubernetesObject | undefined): Attribution | undefined {
  const object = before ?? after;
  if (!object) return undefined;
  const { apiVersion, kind, metadata } = object;
  return {
    kind,
    apiVersion,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    name: metadata.name,
  };
}

/**
 * The object as the request names it, where there is none (yet): its `namespace`, `name` (`pod` before it), `kind`, `apiVersion`, and from a
 * manifest in `yamlData` what is still missing. `fallback` has the namespace of requests that name none, those of our own kinds.
 */
export function attributionOfPayload(payload: unknown, text: Pick<ObjectText, 'rewrite'>, fallback: Attribution = {}): Attribution {
  const fields = isFields(payload) ? payload : {};
  const manifest = typeof fields.yamlData === 'string' ? firstDocument(fields.yamlData, text) : {};
  const metadata = isFields(manifest.metadata) ? manifest.metadata : {};
  const pick = (...values: readonly unknown[]) => values.find((value) => typeof value === 'string' && value !== '');
  const found = {
    kind: pick(fields.kind, manifest.kind, fallback.kind),
    apiVersion: pick(fields.apiVersion, manifest.apiVersion, fallback.apiVersion),
    namespace: pick(fields.namespace, metadata.namespace, fallback.namespace),
    name: pick(fields.pod, fields.name, metadata.name, fallback.name),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

function firstDocument(yaml: string, text: Pick<ObjectText, 'rewrite'>): Fields {
  let first: Fields | undefined;
  text.rewrite(yaml, (document) => {
    if (isFields(document)) first ??= document;
    return document;
  });
  return first ?? {};
}
