import { z } from 'zod';
import { asList, asObject, asText, isObject, type JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { type Cause, invalidValue, requiredValue } from '../model/status.ts';
import { compile } from '../schema/rules.ts';
import { type Schema, schema as schemaOf } from '../schema/schema.ts';

const column = z.object({
  name: z.string(),
  type: z.string(),
  jsonPath: z.string(),
  format: z.string().optional(),
  description: z.string().optional(),
  priority: z.number().optional(),
});

const definition = z.object({
  spec: z.object({
    group: z.string(),
    scope: z.enum(['Namespaced', 'Cluster']),
    names: z.object({
      plural: z.string(),
      kind: z.string(),
      singular: z.string().optional(),
      listKind: z.string().optional(),
      shortNames: z.array(z.string()).optional(),
      categories: z.array(z.string()).optional(),
    }),
    versions: z.array(
      z.object({
        name: z.string(),
        served: z.boolean(),
        storage: z.boolean(),
        schema: z.object({ openAPIV3Schema: schemaOf }).optional(),
        subresources: z.object({ status: z.object({}).optional() }).nullish(),
        additionalPrinterColumns: z.array(column).optional(),
        selectableFields: z.array(z.object({ jsonPath: z.string() })).optional(),
      }),
    ),
  }),
});

/** Names that are left out are made of the kind; conversion is None unless said. */
export function completeDefinition(object: JsonObject): JsonObject {
  const spec = asObject(object.spec);
  const names = asObject(spec.names);
  const kind = asText(names.kind);
  const named = { ...names, singular: asText(names.singular) || kind.toLowerCase(), listKind: asText(names.listKind) || `${kind}List` };
  return { ...object, spec: { ...spec, names: named, conversion: isObject(spec.conversion) ? spec.conversion : { strategy: 'None' } } };
}

/** The kinds a definition makes, one for each served version. Empty when it can't be read: the check has refused it before. */
export function kindsOf(object: JsonObject): Kind[] {
  const parsed = definition.safeParse(object);
  if (!parsed.success) return [];
  const { group, scope, names, versions } = parsed.data.spec;
  return versions
    .filter((version) => version.served)
    .map((version) => ({
      group,
      version: version.name,
      kind: names.kind,
      listKind: names.listKind ?? `${names.kind}List`,
      plural: names.plural,
      singular: names.singular ?? names.kind.toLowerCase(),
      namespaced: scope === 'Namespaced',
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      status: version.subresources?.status !== undefined,
      generation: true,
      names: 'subdomain',
      conditionalUpdates: true,
      ...(version.schema ? { schema: version.schema.openAPIV3Schema } : {}),
      columns: version.additionalPrinterColumns ?? [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }],
      custom: true,
      selectable: (version.selectableFields ?? []).map((field) => field.jsonPath.replace(/^\./, '')),
    }));
}

/** What makes a definition unacceptable, as far as it can be met by writing one. */
export function wrongDefinition(object: JsonObject): Cause[] {
  const spec = asObject(object.spec);
  const names = asObject(spec.names);
  const name = asText(asObject(object.metadata).name);
  const expected = `${asText(names.plural)}.${asText(spec.group)}`;
  const found: Cause[] = [];
  if (name !== expected) found.push(invalidValue('metadata.name', JSON.stringify(name), `must be spec.names.plural+"."+spec.group`));
  for (const field of ['plural', 'kind']) if (asText(names[field]) === '') found.push(requiredValue(`spec.names.${field}`));
  if (asText(spec.scope) === '') found.push(requiredValue('spec.scope'));
  const versions = asList(spec.versions).filter(isObject);
  if (versions.filter((version) => version.storage === true).length !== 1) {
    found.push(invalidValue('spec.versions', JSON.stringify(versions), 'must have exactly one version marked as storage version'));
  }
  versions.forEach((version, at) => {
    if (!isObject(asObject(version.schema).openAPIV3Schema))
      found.push(requiredValue(`spec.versions[${at}].schema.openAPIV3Schema`, 'schemas are required'));
  });
  if (found.length > 0) return found;
  const parsed = definition.safeParse(object);
  if (!parsed.success) return parsed.error.issues.map((issue) => invalidValue(issue.path.join('.'), '""', issue.message));
  return parsed.data.spec.versions.flatMap((version, at) => {
    const path = versions.length === 1 ? 'spec.validation.openAPIV3Schema' : `spec.versions[${at}].schema.openAPIV3Schema`;
    return version.schema ? [...rootType(version.schema.openAPIV3Schema, path), ...wrongSchema(version.schema.openAPIV3Schema, path)] : [];
  });
}

function rootType(schema: Schema, path: string): Cause[] {
  if (schema.type === 'object') return [];
  return [
    schema.type === undefined
      ? requiredValue(`${path}.type`, 'must not be empty at the root')
      : invalidValue(`${path}.type`, JSON.stringify(schema.type), 'must be object at the root'),
  ];
}

/** Every field has a type, and every rule can be compiled. */
function wrongSchema(schema: Schema, path: string): Cause[] {
  const free = schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-int-or-string'];
  const found = schema.type === undefined && !free ? [requiredValue(`${path}.type`, 'must not be empty for specified object fields')] : [];
  (schema['x-kubernetes-validations'] ?? []).forEach((rule, at) => {
    try {
      compile(rule.rule);
    } catch (error) {
      const why = `compilation failed: ${error instanceof Error ? error.message : String(error)}`;
      found.push(invalidValue(`${path}.x-kubernetes-validations[${at}].rule`, JSON.stringify(rule.rule), why));
    }
  });
  const kids = Object.entries(schema.properties ?? {}).flatMap(([key, each]) => wrongSchema(each, `${path}.properties[${key}]`));
  const items = schema.items ? wrongSchema(schema.items, `${path}.items`) : [];
  const more =
    typeof schema.additionalProperties === 'object' ? wrongSchema(schema.additionalProperties, `${path}.additionalProperties`) : [];
  return [...found, ...kids, ...items, ...more];
}
