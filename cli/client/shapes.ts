import { z } from 'zod';

/** What the HTTP API answers, as far as the tools look at it. Further fields pass through to `-o json`. */
const actor = z.looseObject({ source: z.string().optional(), email: z.string().optional(), name: z.string().optional() });

/** The answer to a request. A failed one has a status and the shape of errors beside it. */
export const commandAnswer = z.looseObject({
  id: z.string(),
  result: z.looseObject({
    status: z.enum(['success', 'error']),
    message: z.string().optional(),
    statusCode: z.number().optional(),
    data: z.unknown().optional(),
  }),
});
export type CommandAnswer = z.infer<typeof commandAnswer>;

export const command = z.looseObject({
  id: z.string(),
  pattern: z.string(),
  aggregate: z.string(),
  phase: z.string(),
  since: z.string(),
  until: z.string().optional(),
  actor: actor.optional(),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
});
export type CommandRow = z.infer<typeof command>;

export const event = z.looseObject({
  id: z.string(),
  type: z.string(),
  subject: z.string(),
  time: z.string(),
  position: z.string(),
  commandid: z.string().optional(),
  actor: actor.optional(),
  data: z.unknown(),
});
export type EventRow = z.infer<typeof event>;

export const auditEntry = z.looseObject({
  pattern: z.string(),
  kind: z.string().optional(),
  namespace: z.string().optional(),
  name: z.string().optional(),
  success: z.boolean(),
  error: z.string().optional(),
  createdAt: z.string(),
  user: z.looseObject({ email: z.string().optional() }),
  workspace: z.string().optional(),
  outcome: z.string().optional(),
});
export type AuditRow = z.infer<typeof auditEntry>;

export const projection = z.looseObject({
  name: z.string(),
  kind: z.string(),
  version: z.number(),
  generation: z.number(),
  position: z.string(),
  lag: z.number(),
  state: z.string(),
  reason: z.string().optional(),
  progress: z.number().optional(),
  skipped: z.number(),
});
export type ProjectionRow = z.infer<typeof projection>;

export const verified = z.looseObject({ equal: z.boolean(), rows: z.number(), differences: z.array(z.string()) });

export const parked = z.looseObject({
  command: z.string(),
  aggregate: z.string(),
  pattern: z.string(),
  reason: z.string(),
  attempts: z.number(),
  since: z.string(),
});
export type ParkedRow = z.infer<typeof parked>;

export const dependency = z.looseObject({
  name: z.string(),
  state: z.enum(['ok', 'degraded', 'failed', 'unknown']),
  reason: z.string().optional(),
  required: z.boolean(),
});
export type Dependency = z.infer<typeof dependency>;

export const readiness = z.looseObject({ ready: z.boolean(), dependencies: z.array(dependency) });

/** A page of the log. It may be empty before the end, when few events fit the filter. */
export const eventPage = z.looseObject({ items: z.array(event), next: z.string(), end: z.boolean() });

/** What a stream says about itself. */
export const said = z.looseObject({ message: z.string() });

/** A list with how many there are in all. */
export const page = <T>(item: z.ZodType<T>) => z.object({ items: z.array(item), total: z.number().optional() });

export const auditPage = page(auditEntry).required();
