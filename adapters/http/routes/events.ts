import { z } from 'zod';
import { EventNotFound, StreamsExhausted } from '../../../domain/errors.ts';
import { origin, type Position } from '../../../domain/event/index.ts';
import { toCloudEvent } from '../../../domain/history/index.ts';
import { type App, answers, untilGone } from '../app.ts';
import type { Context } from '../context.ts';
import { eventAt, fitsFilter, logPage } from '../log.ts';
import { cloudEvent, importedEvent, position } from '../schemas/event.ts';
import { limit } from '../schemas/page.ts';
import { createBell, followLog, openSse } from '../sse/index.ts';

const tags = ['events'];
const filters = {
  type: z.string().min(1).max(256).optional().describe('Only events of this type.'),
  stream: z.string().min(1).max(1024).optional().describe('Only events of streams that begin so, e.g. object/mogenius.com/.'),
  command: z.string().min(1).max(512).optional().describe('Only events of this command.'),
};
const batchType = 'application/cloudevents-batch+json';

export function eventRoutes(app: App, context: Context): void {
  const bell = createBell(() => context.part('events'), context.clock);
  let open = 0;

  app.get(
    '/events',
    {
      schema: {
        tags,
        summary: 'A page of the event log, oldest first',
        description:
          'A batch of CloudEvents; `Link: rel="next"` leads on, and is absent at the end of the log. With `Accept: application/json` ' +
          'the same in an object, with `next` and `end`. A page may be empty before the end when few events fit the filter.',
        querystring: z.strictObject({ after: position.default(origin), limit, ...filters }),
        response: answers(z.union([z.array(cloudEvent), z.object({ items: z.array(cloudEvent), next: z.string(), end: z.boolean() })])),
      },
    },
    async ({ query: { after, limit, ...filter }, headers, url }, reply) => {
      const page = await logPage(context.part('events'), {
        after,
        limit,
        scan: context.limits.scan,
        fits: fitsFilter(filter),
        signal: untilGone(reply),
      });
      const items = page.events.map(toCloudEvent);
      if (!page.end) reply.header('link', `<${nextUrl(url, page.next)}>; rel="next"`);
      if (headers.accept?.includes('application/json')) return { items, next: page.next, end: page.end };
      return reply.type(batchType).send(JSON.stringify(items));
    },
  );

  app.get(
    '/events/stream',
    {
      schema: {
        tags,
        summary: 'Follow the event log',
        description:
          'Server-sent events: each message is a CloudEvent, its id the position. `Last-Event-ID` (or `after`) takes it up again behind ' +
          'that event; without either it begins with what comes from now on. `end` tells why the stream ends, `gap` that events were lost.',
        querystring: z.strictObject({ after: position.optional(), ...filters }),
        headers: z.looseObject({ 'last-event-id': position.optional() }),
        produces: ['text/event-stream'],
      },
    },
    async (request, reply) => {
      const { after: asked, ...filter } = request.query;
      const events = context.part('events');
      const resumed = request.headers['last-event-id'];
      if (open >= context.limits.streams) throw StreamsExhausted({ most: context.limits.streams });
      open += 1;
      try {
        const end = await events.end();
        if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send();
        await followLog(openSse(reply, { clock: context.clock, slowReader: context.limits.slowReader }), {
          events,
          after: resumed ?? asked ?? end,
          resumed: resumed !== undefined,
          fits: fitsFilter(filter),
          bell: bell.join(),
          heartbeat: context.limits.heartbeat,
          clock: context.clock,
          stopping: context.stopping,
        });
        return reply;
      } finally {
        open -= 1;
      }
    },
  );

  app.get(
    '/events/:position',
    { schema: { tags, summary: 'One event', params: z.strictObject({ position }), response: answers(cloudEvent) } },
    async ({ params }, reply) => {
      const event = await eventAt(context.part('events'), params.position);
      if (event === undefined) throw EventNotFound({ position: params.position });
      return reply.type('application/cloudevents+json').send(JSON.stringify(toCloudEvent(event)));
    },
  );

  app.post(
    '/events/import',
    {
      schema: {
        tags,
        summary: 'Append the events of an export',
        description:
          'In their order. Events that are there already are passed over, so that a broken import is sent again. They get new positions.',
        body: z.strictObject({ events: z.array(importedEvent).min(1).max(1000) }),
        response: answers(z.object({ imported: z.int(), known: z.int() })),
      },
    },
    ({ body }) => context.part('importEvents')(body.events),
  );
}

function nextUrl(url: string, after: Position): string {
  const next = new URL(url, 'http://localhost');
  next.searchParams.set('after', after);
  return `${next.pathname}${next.search}`;
}
