import type { z } from 'zod';
import { type JsonSchema, nullable, toJsonSchema } from './json-schema.ts';
import type { Pattern } from './pattern.ts';

/** `pointer` is set where null is a value. `optional` and `enum` are ours: the wire had no word for them. */
export interface TypeInfo {
  readonly type: 'bool' | 'int' | 'float' | 'string' | 'array' | 'map' | 'struct' | 'any';
  readonly pointer?: true;
  readonly elementType?: TypeInfo;
  readonly structRef?: string;
  readonly keyType?: TypeInfo;
  readonly valueType?: TypeInfo;
  readonly optional?: true;
  readonly enum?: readonly unknown[];
}

export interface Schema {
  readonly typeInfo: TypeInfo;
  readonly structs?: Readonly<Record<string, { readonly name?: string; readonly properties: Readonly<Record<string, TypeInfo>> }>>;
}

/** What `describe` tells of a pattern. */
export interface PatternConfig {
  readonly needsUser?: true;
  readonly requestSchema: Schema;
  readonly responseSchema: Schema;
}

export function describePattern({ pattern, request, response, needsUser }: Pattern): PatternConfig {
  return {
    ...(needsUser ? { needsUser: true as const } : {}),
    requestSchema: schemaOf(toJsonSchema(request), `${pattern}.Request`),
    responseSchema: schemaOf(resultOf(response), `${pattern}.Result`),
  };
}

function resultOf(response: z.ZodType): JsonSchema {
  return {
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['success', 'error'] },
      message: { type: 'string' },
      statusCode: { type: 'integer' },
      data: toJsonSchema(response),
    },
    required: ['status', 'data'],
  };
}

function schemaOf(schema: JsonSchema, name: string): Schema {
  if (schema.noRequest)
    return { typeInfo: { type: 'struct', pointer: true, structRef: 'NoRequest' }, structs: { NoRequest: { properties: {} } } };
  const structs: Record<string, { name: string; properties: Record<string, TypeInfo> }> = {};
  const typeInfo = typeOf(schema, name, structs);
  return Object.keys(structs).length === 0 ? { typeInfo } : { typeInfo, structs };
}

function typeOf(
  given: JsonSchema,
  name: string,
  structs: Record<string, { name: string; properties: Record<string, TypeInfo> }>,
): TypeInfo {
  const { schema, isNullable } = nullable(given);
  const pointer = isNullable ? { pointer: true as const } : {};
  const values = schema.enum === undefined ? {} : { enum: schema.enum };
  switch (schema.type) {
    case 'boolean':
      return { type: 'bool', ...pointer };
    case 'integer':
      return { type: 'int', ...pointer };
    case 'number':
      return { type: 'float', ...pointer };
    case 'string':
      return { type: 'string', ...pointer, ...values };
    case 'array':
      return { type: 'array', ...pointer, elementType: typeOf(schema.items ?? {}, `${name}.item`, structs) };
    case 'object': {
      if (schema.properties === undefined) {
        const value = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
        return { type: 'map', ...pointer, keyType: { type: 'string' }, valueType: typeOf(value, `${name}.value`, structs) };
      }
      const structRef = schema.title ?? name;
      const properties: Record<string, TypeInfo> = {};
      structs[structRef] = { name: structRef, properties };
      for (const [field, type] of Object.entries(schema.properties)) {
        const optional = schema.required?.includes(field) ? {} : { optional: true as const };
        properties[field] = { ...typeOf(type, `${structRef}.${field}`, structs), ...optional };
      }
      return { type: 'struct', ...pointer, structRef };
    }
    default:
      return { type: 'any', pointer: true };
  }
}
