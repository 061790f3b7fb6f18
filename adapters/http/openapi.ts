import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { nameComponents } from './schemas/components.ts';

export function openApi(version: string): FastifyDynamicSwaggerOptions {
  nameComponents();
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'mogenius operator',
        description: 'The HTTP API of the operator. Every error has one shape; docs/errors.md lists the codes.',
        version,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'MO_HTTP_TOKEN, or a Kubernetes token of a group that may call. Not needed from the same machine.',
          },
        },
      },
      security: [{ token: [] }, {}],
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => usedOnly(jsonSchemaTransformObject(document)),
  };
}

type Transformed = ReturnType<typeof jsonSchemaTransformObject>;

/** Each named schema comes as input and as output; what nothing refers to is left out. */
function usedOnly(document: Transformed): Transformed {
  const schemas = 'components' in document ? (document.components?.schemas ?? {}) : {};
  const text = JSON.stringify(document);
  for (const name of Object.keys(schemas)) if (!text.includes(`"#/components/schemas/${name}"`)) delete schemas[name];
  return document;
}
