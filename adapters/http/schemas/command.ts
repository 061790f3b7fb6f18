import { z } from 'zod';

const short = z.string().max(1024).optional();

/** Ids become parts of keys: longer ones are refused, as on the platform's links. */
export const commandId = z.string().min(1).max(512);

export const commandRequest = z.strictObject({
  id: commandId.optional().describe('Names the request: sent again with the same id it is answered, not done again. Default: a new one.'),
  pattern: z.string().min(1).max(512).describe('What is asked, e.g. create/workspace; /spec.yaml lists them.'),
  payload: z.unknown().optional(),
  workspace: short.describe('The workspace that the request belongs to, for the audit log.'),
  user: z
    .strictObject({ firstName: short, lastName: short, email: short })
    .optional()
    .describe('For whom the caller asks. Recorded, not verified.'),
});

export const idempotencyKey = z.looseObject({
  'idempotency-key': commandId.optional().describe('The id of the request, when the body has none.'),
});

export const commandAnswer = z.object({
  id: z.string(),
  result: z.looseObject({
    status: z.enum(['success', 'error']),
    message: z.string().optional(),
    statusCode: z.int().optional(),
    data: z.unknown().optional(),
  }),
});
