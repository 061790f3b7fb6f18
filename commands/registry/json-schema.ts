import { z } from 'zod';

/** The part of JSON Schema that zod writes for our patterns. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly plainText?: boolean;
  readonly noRequest?: boolean;
}

const jsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    title: z.string().optional(),
    properties: z.record(z.string(), jsonSchema).optional(),
    required: z.array(z.string()).optional(),
    items: jsonSchema.optional(),
    additionalProperties: z.union([z.boolean(), jsonSchema]).optional(),
    anyOf: z.array(jsonSchema).optional(),
    enum: z.array(z.unknown()).optional(),
    format: z.string().optional(),
    plainText: z.boolean().optional(),
    noRequest: z.boolean().optional(),
  }),
);

const made = new WeakMap<z.ZodType, JsonSchema>();

/** A zod schema as JSON Schema: what `describe`, zero values and later OpenAPI are made from. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const known = made.get(schema);
  if (known) return known;
  const fresh = jsonSchema.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }));
  made.set(schema, fresh);
  return fresh;
}

/** The schema without its null, and whether it had one. */
export function nullable(schema: JsonSchema): { readonly schema: JsonSchema; readonly isNullable: boolean } {
  if (Array.isArray(schema.type))
    return { schema: { ...schema, type: schema.type.find((type) => type !== 'null') }, isNullable: schema.type.includes('null') };
  const rest = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (rest === undefined || rest.length === schema.anyOf?.length) return { schema, isNullable: false };
  return { schema: rest[0] ?? {}, isNullable: true };
}
