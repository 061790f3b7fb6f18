import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import type { Caller } from './access/index.ts';
import { errorBody } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard before a handler runs. */
    caller: Caller;
  }
}

export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>;

/** Answers of a route for the documentation: its own, and the one shape of an error. The wide type leaves handlers free in how they build them. */
export const answers = (success: z.ZodType, more: Readonly<Record<string, z.ZodType>> = {}): Record<string, z.ZodType> => ({
  200: success,
  ...more,
  '4xx': errorBody,
  '5xx': errorBody,
});

/** Aborts when the caller went away before the answer was out. */
export function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort(new Error('the caller went away'));
  });
  return gone.signal;
}
