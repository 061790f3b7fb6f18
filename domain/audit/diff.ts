import { commandAnnotation, type KubernetesObject, type ObjectText } from '../ports/index.ts';
import { type RedactOptions, redact } from './redact.ts';

/** What the server writes and nobody asked for. */
const ofTheServer: ReadonlySet<string> = new Set(['managedFields', 'generation', 'resourceVersion', 'uid', 'creationTimestamp']);

/** Longer diffs are cut: the entry has to stay readable. In characters. */
const longest = 200_000;

/** The change as a unified diff of YAML without secrets; empty when nothing changed that a person decided. A missing side is an empty text. */
export function objectDiff(before: KubernetesObject | undefined, after: KubernetesObject | undefined, options: RedactOptions): string {
  const object = before ?? after;
  if (!object) return '';
  const { namespace = '', name } = object.metadata;
  const diff = options.text.unified(textOf(before, options), textOf(after, options), `${namespace}/${name}`);
  return diff.length > longest ? `${diff.slice(0, longest)}\n... (truncated)\n` : diff;
}

function textOf(object: KubernetesObject | undefined, options: RedactOptions & { readonly text: ObjectText }): string {
  return object ? options.text.yaml(redact(asked(object), { ...options, digests: true })) : '';
}

/** A copy with what was asked for: without status, the server's fields and our mark. */
function asked({ status: _, metadata, ...rest }: KubernetesObject): Readonly<Record<string, unknown>> {
  const kept = Object.fromEntries(Object.entries(metadata).filter(([key]) => !ofTheServer.has(key) && key !== 'annotations'));
  const annotations = Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => key !== commandAnnotation));
  return { ...rest, metadata: Object.keys(annotations).length > 0 ? { ...kept, annotations } : kept };
}
