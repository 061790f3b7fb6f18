import type { FastifyReply, FastifyRequest } from 'fastify';
import { PatternUnknown, RequestFailed, RequestInvalid } from '../../domain/errors.ts';
import type { Actor } from '../../domain/event/index.ts';
import type { Result } from '../../domain/ports/index.ts';
import { newId, resultPayload } from '../../domain/wire/index.ts';
import { untilGone } from './app.ts';
import type { Context } from './context.ts';
import { sendError } from './errors.ts';

export interface Call {
  readonly id?: string | undefined;
  readonly pattern: string;
  readonly payload?: unknown;
  readonly workspace?: string | undefined;
  readonly user?: Pick<Actor, 'firstName' | 'lastName' | 'email'> | { [field: string]: string | undefined } | undefined;
}

/** The id a caller gave, in the body or as `Idempotency-Key` (also quoted, as its draft standard writes it); else a new one. */
export function idOf(given: string | undefined, headers: FastifyRequest['headers'], context: Context): string {
  const header = headers['idempotency-key'];
  const key = typeof header === 'string' ? header.replace(/^"(.*)"$/, '$1') : undefined;
  if (given !== undefined && key !== undefined && given !== key)
    throw RequestInvalid({ text: 'the id of the body and the Idempotency-Key differ' });
  return given ?? (key || newId(context.clock.random));
}

/** Has the dispatcher answer, as this caller. */
export function ask(context: Context, request: FastifyRequest, reply: FastifyReply, call: Call & { readonly id: string }): Promise<Result> {
  const { by, name } = request.caller;
  return context.part('dispatcher').dispatch(
    {
      id: call.id,
      pattern: call.pattern,
      payload: call.payload,
      actor: { source: 'http', ...present(call.user), ...(by === 'kubernetes' && name !== undefined ? { name } : {}) },
      ...(call.workspace ? { workspace: call.workspace } : {}),
      receivedAt: context.clock.now(),
    },
    { session: context.session, signal: untilGone(reply) },
  );
}

/** `{id, result}` with the status of the result; an error has the shape of all errors beside it. */
export async function answerCall(context: Context, request: FastifyRequest, reply: FastifyReply, call: Call): Promise<FastifyReply> {
  const id = idOf(call.id, request.headers, context);
  const result = await ask(context, request, reply, { ...call, id });
  const answer = { id, result: resultPayload(result) };
  if (result.status === 'success') return reply.send(answer);
  return sendError(reply, errorOf(result, call.pattern), answer);
}

/** The error of a failed result. Statuses that HTTP has no room for become 500. */
export function errorOf(result: Extract<Result, { status: 'error' }>, pattern: string) {
  if ('unknownPattern' in result) return PatternUnknown({ pattern });
  const { statusCode, message } = result;
  return RequestFailed({ status: Number.isInteger(statusCode) && statusCode >= 400 && statusCode <= 599 ? statusCode : 500, message });
}

const present = (user: Call['user'] = {}) =>
  Object.fromEntries(Object.entries(user).filter(([, value]) => value !== undefined && value !== ''));
