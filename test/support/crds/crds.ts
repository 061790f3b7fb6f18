import { parse } from 'yaml';
import { z } from 'zod';
import type { KubernetesObject } from '../../../domain/ports/index.ts';

interface Schema {
  readonly description?: string;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
}
const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({ description: z.string().optional(), properties: z.record(z.string(), schema).optional(), items: schema.optional() }),
);
const definition = z.object({ spec: z.object({ versions: z.tuple([z.object({ schema: z.object({ openAPIV3Schema: schema }) })]) }) });
const example = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({ name: z.string() }) });

/** All fields below the root, as `spec.resources[].id`, with what is said about them. `metadata` is described by Kubernetes. */
export function fieldsOf(crd: KubernetesObject): { path: string; description: string | undefined }[] {
  const fields: { path: string; description: string | undefined }[] = [];
  const walk = (from: Schema, prefix: string) => {
    for (const [name, field] of Object.entries(from.properties ?? {})) {
      if (prefix === '' && name === 'metadata') continue;
      const path = `${prefix}${name}${field.items ? '[]' : ''}`;
      fields.push({ path, description: field.description });
      walk(field.items ?? field, `${path}.`);
    }
  };
  walk(definition.parse(crd).spec.versions[0].schema.openAPIV3Schema, '');
  return fields;
}

/** The first YAML block of a page. */
export function exampleOf(markdown: string): KubernetesObject {
  const block = /```yaml\n([\s\S]*?)```/.exec(markdown)?.[1];
  if (block === undefined) throw new Error('the page has no example');
  return example.parse(parse(block));
}
