import { z } from 'zod';
import type { DependencyState } from '../../../domain/ports/index.ts';
import { type App, answers } from '../app.ts';
import type { Context } from '../context.ts';
import { readiness, versionInfo } from '../schemas/views.ts';

const tags = ['operation'];
const config = { rateLimit: false } as const;

/** Routes without a token, for probes and Prometheus. Probes are not limited: a refused one would end the process. */
export function openRoutes(app: App, context: Context): void {
  app.get(
    '/healthz',
    {
      config,
      schema: {
        tags,
        summary: 'Whether the process lives',
        description: 'Answers as long as the event loop turns; no dependency is asked.',
        security: [],
        response: answers(versionInfo),
      },
    },
    async () => context.version,
  );

  app.get(
    '/readyz',
    {
      config,
      schema: {
        tags,
        summary: 'Whether the operator can do its work',
        description: 'Each dependency with its state; 200 when all that are required are not failed or unknown, else 503.',
        security: [],
        response: { 200: readiness, 503: readiness },
      },
    },
    async (_, reply) => {
      const dependencies = await known(context);
      const ready =
        context.has('health') &&
        !context.stopping.aborted &&
        dependencies.every(({ required, state }) => !required || state === 'ok' || state === 'degraded');
      return reply.code(ready ? 200 : 503).send({ ready, dependencies: [...dependencies] });
    },
  );

  app.get(
    '/metrics',
    { schema: { tags, summary: 'Numbers for Prometheus', security: [], response: { 200: z.string() } } },
    async (_, reply) => {
      const { contentType, body } = await context.metrics.text();
      return reply.type(contentType).send(body);
    },
  );
}

async function known(context: Context): Promise<readonly DependencyState[]> {
  if (context.stopping.aborted) return [{ name: 'operator', state: 'failed', reason: 'it is stopping', required: true }];
  if (!context.has('health')) return [{ name: 'operator', state: 'unknown', reason: 'it is starting', required: true }];
  try {
    return await context.part('health').dependencies();
  } catch (error) {
    return [{ name: 'operator', state: 'unknown', reason: error instanceof Error ? error.message : String(error), required: true }];
  }
}
