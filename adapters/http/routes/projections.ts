import { z } from 'zod';
import { asOperatorError } from '../../../domain/errors.ts';
import type { ProjectionStatus } from '../../../domain/ports/index.ts';
import { type App, answers, untilGone } from '../app.ts';
import type { Context } from '../context.ts';
import { bodyOf } from '../errors.ts';
import { projectionStatus, verified } from '../schemas/views.ts';
import { openSse } from '../sse/index.ts';

const tags = ['projections'];
const params = z.strictObject({ name: z.string().min(1).max(128) });

interface Rebuild {
  readonly done: Promise<ProjectionStatus>;
  readonly watchers: Set<(events: number) => void>;
}

export function projectionRoutes(app: App, context: Context): void {
  /** A rebuild goes on when who asked for it went away, and one at a time is enough for a view: others join it. */
  const running = new Map<string, Rebuild>();

  function rebuild(name: string): Rebuild {
    const found = running.get(name);
    if (found) return found;
    const watchers: Rebuild['watchers'] = new Set();
    const done = context.part('projections').rebuild(name, {
      signal: context.stopping,
      onProgress: (events) => {
        for (const tell of watchers) tell(events);
      },
    });
    const started = { done, watchers };
    running.set(name, started);
    const over = () => void running.delete(name);
    done.then(over, over);
    return started;
  }

  app.get(
    '/projections',
    {
      schema: {
        tags,
        summary: 'Views folded from the log, and how far they are',
        response: answers(z.object({ items: z.array(projectionStatus) })),
      },
    },
    async () => ({ items: await context.part('projections').list() }),
  );

  app.post(
    '/projections/:name/rebuild',
    {
      schema: {
        tags,
        summary: 'Build a view anew beside the live one, and switch',
        description:
          'Answers when the new one is live; it goes on when the caller does not wait. With `Accept: text/event-stream`: messages ' +
          '`progress` (0 to 1), then `done` or `error`.',
        params,
        response: answers(projectionStatus),
      },
    },
    async ({ params: { name }, headers, id }, reply) => {
      const wantsProgress = headers.accept?.includes('text/event-stream') === true;
      const total = wantsProgress ? (await context.part('events').extent()).events : 0;
      const { done, watchers } = rebuild(name);
      if (!wantsProgress) return await done;

      const port = openSse(reply, { clock: context.clock, slowReader: context.limits.slowReader });
      const tell = (events: number) =>
        port.offer({ event: 'progress', data: { progress: Math.min(1, events / Math.max(total, 1)), events } });
      watchers.add(tell);
      try {
        await port.send({ event: 'done', data: await done });
        port.end({ reason: 'done' });
      } catch (error) {
        const said = bodyOf(asOperatorError(error, id));
        await port.send({ event: 'error', data: { ...said, message: said.error.message } });
        port.end({ reason: 'failed' });
      } finally {
        watchers.delete(tell);
      }
      return reply;
    },
  );

  app.post(
    '/projections/:name/verify',
    {
      schema: {
        tags,
        summary: 'Compare a view with one built anew',
        description: 'Stops when the caller goes away.',
        params,
        response: answers(verified),
      },
    },
    ({ params: { name } }, reply) =>
      context.part('projections').verify(name, { signal: AbortSignal.any([untilGone(reply), context.stopping]) }),
  );
}
