import { z } from 'zod';
import { type App, answers } from '../app.ts';
import type { Context } from '../context.ts';
import { docsPage, docsPagePolicy } from '../docs-page/index.ts';

const tags = ['documentation'];

export function specRoutes(app: App, context: Context): void {
  app.get(
    '/spec.yaml',
    {
      schema: {
        tags,
        summary: 'The patterns with their schemas',
        description: 'YAML with sorted keys; JSON with `Accept: application/json`.',
        response: { ...answers(z.string()) },
      },
    },
    async ({ headers }, reply) => {
      const patterns = Object.fromEntries(Object.entries(context.part('dispatcher').patterns()).sort(([a], [b]) => (a < b ? -1 : 1)));
      if (headers.accept?.includes('application/json')) return reply.type('application/json; charset=utf-8').send(JSON.stringify(patterns));
      // Loaded when asked for: most operators never are.
      const { stringify } = await import('yaml');
      return reply.type('text/yaml; charset=utf-8').send(stringify(patterns, { aliasDuplicateObjects: false, sortMapEntries: true }));
    },
  );

  app.get(
    '/api/v1/openapi.json',
    { schema: { tags, summary: 'This API as OpenAPI 3.1', response: answers(z.record(z.string(), z.unknown())) } },
    async (_, reply) => reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
  );

  app.get('/api-doc', { schema: { tags, summary: 'A page to read and try the API', response: { 200: z.string() } } }, async (_, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', docsPagePolicy).send(docsPage),
  );
}
