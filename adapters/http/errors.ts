import type { FastifyError, FastifyReply } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { BodyTooLarge, errorTable, Internal, MediaTypeUnsupported, OperatorError, RequestInvalid } from '../../domain/errors.ts';

/** The one shape of an error. */
export const errorBody = z.object({
  error: z.object({
    code: z.string().describe('For programs; docs/errors.md lists them all.'),
    message: z.string().describe('For people; may change.'),
    status: z.int(),
    remedy: z.string().describe('What the caller can do about it.'),
  }),
});
export type ErrorBody = z.infer<typeof errorBody>;

export const bodyOf = ({ code, message, status }: OperatorError): ErrorBody => ({
  error: { code, message, status, remedy: errorTable.get(code)?.remedy ?? '' },
});

/** What Fastify, a plugin or a handler threw, as an error of the table. Texts that quote the request are replaced: it may hold secrets. */
export function tabled(error: FastifyError | Error, id: string, bodyLimit: number): OperatorError {
  if (error instanceof OperatorError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const where = error.validationContext ?? 'request';
    const wrong = error.validation.map(({ instancePath, message }) => `${where}${instancePath === '/' ? '' : instancePath}: ${message}`);
    return RequestInvalid({ text: wrong.slice(0, mostIssues).join(' | ') });
  }
  switch ('code' in error ? error.code : undefined) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return BodyTooLarge({ bytes: bodyLimit });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return MediaTypeUnsupported({});
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return RequestInvalid({ text: 'the body has another length than Content-Length says' });
    case 'FST_ERR_BAD_URL':
      return RequestInvalid({ text: 'the path is not a valid URL' });
    default:
  }
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (error instanceof SyntaxError || (status !== undefined && status >= 400 && status < 500))
    return RequestInvalid({ text: 'the body is no valid JSON' });
  return Internal({ id }, error);
}

const mostIssues = 10;

export function sendError(reply: FastifyReply, error: OperatorError, more: Readonly<Record<string, unknown>> = {}): FastifyReply {
  if (error.handling === 'retry' && !reply.hasHeader('retry-after')) reply.header('retry-after', '1');
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .send({ ...bodyOf(error), ...more });
}
