import { z } from 'zod';
import { CommandNotFound } from '../../../domain/errors.ts';
import { toCloudEvent } from '../../../domain/history/index.ts';
import { type App, answers } from '../app.ts';
import type { Context } from '../context.ts';
import { answerCall } from '../dispatch.ts';
import { errorBody } from '../errors.ts';
import { freshly } from '../fresh.ts';
import { commandAnswer, commandId, commandRequest, idempotencyKey } from '../schemas/command.ts';
import { cloudEvent } from '../schemas/event.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { commandStatus } from '../schemas/views.ts';

const tags = ['commands'];
const params = z.strictObject({ id: commandId });

export function commandRoutes(app: App, context: Context): void {
  const preHandler = freshly(context, 'command-status');
  app.post(
    '/commands',
    {
      schema: {
        tags,
        summary: 'Send a request',
        description:
          'Any pattern. A command is carried out once, however often it is sent with the same id; queries are answered from the views. ' +
          'The status is the one of the result.',
        body: commandRequest,
        headers: idempotencyKey,
        response: answers(commandAnswer, { '4xx': errorBody.extend(commandAnswer.partial().shape) }),
      },
    },
    (request, reply) => answerCall(context, request, reply, request.body),
  );

  app.get(
    '/commands',
    {
      preHandler,
      schema: {
        tags,
        summary: 'Commands, newest first',
        querystring: pageQuery.extend({ phase: commandStatus.shape.phase.optional() }),
        response: answers(pageOf(commandStatus)),
      },
    },
    ({ query: { limit, offset, phase } }) => context.part('commandQueries').list({ limit, offset, ...(phase ? { phase } : {}) }),
  );

  app.get(
    '/commands/:id',
    { preHandler, schema: { tags, summary: 'One command', params, response: answers(commandStatus) } },
    async ({ params: { id } }) => {
      const found = await context.part('commandQueries').one(id);
      if (found === undefined) throw CommandNotFound({ id });
      return found;
    },
  );

  app.get(
    '/commands/:id/chain',
    {
      preHandler,
      schema: {
        tags,
        summary: 'What a command led to',
        description: 'Its own events, and those of the objects it changed, in the order of the log.',
        params,
        response: answers(z.object({ items: z.array(cloudEvent) })),
      },
    },
    async ({ params: { id } }) => {
      const chain = await context.part('commandQueries').chain(id);
      if (chain.length === 0) throw CommandNotFound({ id });
      return { items: chain.map(toCloudEvent) };
    },
  );
}
