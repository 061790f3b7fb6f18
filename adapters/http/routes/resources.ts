import { z } from 'zod';
import { type App, answers } from '../app.ts';
import type { Context } from '../context.ts';
import { answerCall, ask, errorOf, idOf } from '../dispatch.ts';
import { commandAnswer, idempotencyKey } from '../schemas/command.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';

/** A resource behind patterns `get/<singular>`, `create/<singular>`, ... */
const resources = [
  { plural: 'workspaces', singular: 'workspace', filters: z.strictObject({}) },
  { plural: 'users', singular: 'user', filters: z.strictObject({ email: z.string().max(1024).optional() }) },
  {
    plural: 'grants',
    singular: 'grant',
    filters: z.strictObject({ targetType: z.string().max(253).optional(), targetName: z.string().max(253).optional() }),
  },
] as const;

const params = z.strictObject({ name: z.string().min(1).max(253) });
const body = z.record(z.string(), z.unknown()).describe('The payload of the pattern; /spec.yaml shows its fields.');
const item = z.record(z.string(), z.unknown());

/** Workspaces, users and grants: other words for the same patterns, so that validation, order and audit are those of the pipeline. */
export function resourceRoutes(app: App, context: Context): void {
  for (const { plural, singular, filters } of resources) {
    const tags = [plural];

    app.get(
      `/${plural}`,
      { schema: { tags, summary: `All ${plural}`, querystring: pageQuery.extend(filters.shape), response: answers(pageOf(item)) } },
      async (request, reply) => {
        const { limit, offset, ...payload } = request.query;
        const result = await ask(context, request, reply, { id: idOf(undefined, {}, context), pattern: `get/${plural}`, payload });
        if (result.status === 'error') throw errorOf(result, `get/${plural}`);
        const all = Array.isArray(result.data) ? result.data : [];
        return { items: all.slice(offset, offset + limit), total: all.length };
      },
    );

    app.get(
      `/${plural}/:name`,
      { schema: { tags, summary: `One of the ${plural}`, params, response: answers(item) } },
      async (request, reply) => {
        const pattern = `get/${singular}`;
        const result = await ask(context, request, reply, { id: idOf(undefined, {}, context), pattern, payload: request.params });
        if (result.status === 'error') throw errorOf(result, pattern);
        return reply.send(result.data);
      },
    );

    app.post(
      `/${plural}`,
      { schema: { tags, summary: `Create one of the ${plural}`, body, headers: idempotencyKey, response: answers(commandAnswer) } },
      (request, reply) => answerCall(context, request, reply, { pattern: `create/${singular}`, payload: request.body }),
    );

    app.put(
      `/${plural}/:name`,
      { schema: { tags, summary: `Change one of the ${plural}`, params, body, headers: idempotencyKey, response: answers(commandAnswer) } },
      (request, reply) =>
        answerCall(context, request, reply, { pattern: `update/${singular}`, payload: { ...request.body, ...request.params } }),
    );

    app.delete(
      `/${plural}/:name`,
      { schema: { tags, summary: `Delete one of the ${plural}`, params, headers: idempotencyKey, response: answers(commandAnswer) } },
      (request, reply) => answerCall(context, request, reply, { pattern: `delete/${singular}`, payload: request.params }),
    );
  }
}
