import { z } from 'zod';
import { BodyTooLarge, OperatorError } from '../../../domain/errors.ts';
import { datagramToRequest, newId, parseDatagram, socketApiResponse } from '../../../domain/wire/index.ts';
import { type App, untilGone } from '../app.ts';
import type { Context } from '../context.ts';

/**
 * `/socketapi`: a datagram in, the same datagram with its payload replaced out, on any method, as clients know it. The status is 200
 * for failed requests too; only what is no datagram answers 400.
 */
export function socketApiRoute(app: App, context: Context): void {
  // As text, of any content type: the datagram is read as on the links, not as a body of the API.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (_, body, done) => done(null, body));

  app.setErrorHandler((error: Error, _, reply) => {
    if (error instanceof OperatorError) throw error;
    const tooLarge = 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE';
    const text = tooLarge ? BodyTooLarge({ bytes: context.limits.body }).message : 'the body could not be read';
    return reply.code(tooLarge ? 413 : 400).send({ message: 'failed to read request body', error: text });
  });

  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/socketapi',
    schema: {
      tags: ['operation'],
      summary: 'Any pattern as a datagram, as on the platform link',
      description: 'Body: `{id?, pattern, payload?, user?, workspace?}`. New programs use `/api/v1/commands`.',
      response: responses,
    },
    async handler({ body, caller }, reply) {
      const parsed = parseDatagram(typeof body === 'string' ? body : '', {
        maxBytes: context.limits.body,
        newId: () => newId(context.clock.random),
      });
      if (parsed.outcome !== 'datagram')
        return reply.code(400).send({ message: 'failed to decode request body as datagram', error: parsed.text });
      const { datagram } = parsed;
      const request = datagramToRequest(datagram, context.clock.now(), 'http');
      const actor = caller.name === undefined ? request.actor : { ...request.actor, name: caller.name };
      const result = await context
        .part('dispatcher')
        .dispatch({ ...request, actor }, { session: context.session, signal: untilGone(reply) });
      return reply.send(socketApiResponse(datagram, result));
    },
  });
}

const problem = z.object({ message: z.string(), error: z.string() });
const responses: Record<string, z.ZodType> = {
  200: z.looseObject({ id: z.string(), pattern: z.string(), payload: z.unknown() }),
  400: problem,
  413: problem,
};
