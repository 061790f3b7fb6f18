import { z } from 'zod';
import type { Json } from '../model/json.ts';

/** The part of a structural schema (OpenAPI v3 as CRDs use it) that the sandbox acts on. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

export interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

const json: z.ZodType<Json> = z.json();
const rule: z.ZodType<Rule> = z.object({
  rule: z.string(),
  message: z.string().optional(),
  messageExpression: z.string().optional(),
  reason: z.string().optional(),
  fieldPath: z.string().optional(),
  optionalOldSelf: z.boolean().optional(),
});

export const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    format: z.string().optional(),
    nullable: z.boolean().optional(),
    properties: z.record(z.string(), schema).optional(),
    additionalProperties: z.union([schema, z.boolean()]).optional(),
    items: schema.optional(),
    required: z.array(z.string()).optional(),
    enum: z.array(json).optional(),
    default: json.optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    exclusiveMinimum: z.boolean().optional(),
    exclusiveMaximum: z.boolean().optional(),
    multipleOf: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    pattern: z.string().optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
    uniqueItems: z.boolean().optional(),
    minProperties: z.number().optional(),
    maxProperties: z.number().optional(),
    allOf: z.array(schema).optional(),
    anyOf: z.array(schema).optional(),
    oneOf: z.array(schema).optional(),
    not: schema.optional(),
    'x-kubernetes-preserve-unknown-fields': z.boolean().optional(),
    'x-kubernetes-int-or-string': z.boolean().optional(),
    'x-kubernetes-embedded-resource': z.boolean().optional(),
    'x-kubernetes-list-type': z.string().optional(),
    'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
    'x-kubernetes-map-type': z.string().optional(),
    'x-kubernetes-validations': z.array(rule).optional(),
  }),
);
