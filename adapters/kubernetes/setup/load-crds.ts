import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { CrdsUnreadable } from '../../../domain/errors.ts';
import type { KubernetesObject, ResourceKind } from '../../../domain/ports/index.ts';

/** A definition as it stands in a file, and the kind it defines in its storage version. */
export interface CrdDefinition {
  readonly object: KubernetesObject;
  readonly kind: ResourceKind;
}

const definitionSchema = z.looseObject({
  apiVersion: z.literal('apiextensions.k8s.io/v1'),
  kind: z.literal('CustomResourceDefinition'),
  metadata: z.looseObject({ name: z.string().min(1) }),
  spec: z.looseObject({
    group: z.string(),
    scope: z.enum(['Namespaced', 'Cluster']),
    names: z.looseObject({ kind: z.string(), plural: z.string() }),
    versions: z.array(z.looseObject({ name: z.string(), served: z.boolean(), storage: z.boolean() })).min(1),
  }),
});

/** Reads the definitions of a folder, by file name. Throws `CrdsUnreadable`, which names the file. */
export async function loadCrds(folder: string): Promise<readonly CrdDefinition[]> {
  const files = await readdir(folder).catch((error: unknown) => {
    throw CrdsUnreadable({ file: folder, reason: 'it can not be read' }, error);
  });
  const yaml = files.filter((file) => /\.ya?ml$/.test(file)).sort();
  if (yaml.length === 0) throw CrdsUnreadable({ file: folder, reason: 'it holds no YAML file' });
  return (await Promise.all(yaml.map((file) => loadFile(join(folder, file))))).flat();
}

async function loadFile(file: string): Promise<CrdDefinition[]> {
  return parseAllDocuments(await readFile(file, 'utf8')).map((document) => {
    const parsed = definitionSchema.safeParse(document.toJS());
    if (document.errors.length > 0 || !parsed.success) {
      const reason =
        document.errors[0]?.message ?? parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', ') ?? '';
      throw CrdsUnreadable({ file, reason });
    }
    const { group, names, scope, versions } = parsed.data.spec;
    const version = versions.find(({ storage }) => storage)?.name ?? '';
    return { object: parsed.data, kind: { group, version, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced' } };
  });
}
