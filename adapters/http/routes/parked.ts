import { z } from 'zod';
import { ParkedNotFound } from '../../../domain/errors.ts';
import type { NewEvent } from '../../../domain/event/index.ts';
import { type App, answers } from '../app.ts';
import type { Context } from '../context.ts';
import { commandId } from '../schemas/command.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { parkedCommand } from '../schemas/views.ts';

const tags = ['parked commands'];
const params = z.strictObject({ id: commandId });

export function parkedRoutes(app: App, context: Context): void {
  app.get(
    '/parked',
    {
      schema: {
        tags,
        summary: 'Commands that were given up and wait for a person',
        querystring: pageQuery,
        response: answers(pageOf(parkedCommand)),
      },
    },
    ({ query }) => context.part('commandLog').parked(query),
  );

  app.post(
    '/parked/:id/retry',
    {
      schema: {
        tags,
        summary: 'Put a parked command at the end of its queue again',
        params,
        response: answers(z.object({ id: z.string(), outcome: z.literal('queued') })),
      },
    },
    async ({ params: { id }, caller }) => {
      const outcome = await context.part('commandLog').retry(id, event(id, 'CommandRetried', caller.name));
      if (outcome === 'unknown') throw ParkedNotFound({ id });
      return { id, outcome };
    },
  );

  app.post(
    '/parked/:id/discard',
    {
      schema: {
        tags,
        summary: 'End a parked command as failed',
        params,
        response: answers(z.object({ id: z.string(), outcome: z.literal('discarded') })),
      },
    },
    async ({ params: { id }, caller }) => {
      const outcome = await context.part('commandLog').discard(id, event(id, 'CommandDiscarded', caller.name));
      if (outcome === 'unknown') throw ParkedNotFound({ id });
      return { id, outcome };
    },
  );

  const event = (id: string, type: 'CommandRetried' | 'CommandDiscarded', name = 'http'): NewEvent => ({
    type,
    schema: 1,
    time: new Date(context.clock.now()).toISOString(),
    data: { by: name },
    commandid: id,
    correlationid: id,
    actor: { source: 'http', ...(name === 'http' ? {} : { name }) },
  });
}
