import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from './context.ts';

/** Says in an answer from views why it may not hold what was done last. */
export const staleHeader = 'x-mogenius-stale';

/** A hook for routes that read views: followers gather events for a moment, and whoever just ran a command is to see it. */
export const freshly =
  (context: Context, ...views: readonly string[]) =>
  async (_: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const stale = context.has('fresh') ? await context.part('fresh')(views) : undefined;
    if (stale !== undefined) void reply.header(staleHeader, stale);
  };
