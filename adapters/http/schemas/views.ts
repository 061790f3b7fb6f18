import { z } from 'zod';
import { actor } from '../../../domain/event/index.ts';

/** Views as the routes answer them. They mirror domain/ports/queries.ts; a test holds both together. */
export const commandStatus = z.object({
  id: z.string(),
  pattern: z.string(),
  aggregate: z.string().describe('Commands of one aggregate are handled one after the other.'),
  phase: z.enum(['accepted', 'succeeded', 'failed', 'abandoned', 'parked']),
  since: z.string(),
  until: z.string().optional(),
  actor: actor.optional(),
  workspace: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  position: z.string(),
});

export const auditLogEntry = z.object({
  requestId: z.string().optional(),
  pattern: z.string(),
  kind: z.string().optional(),
  apiVersion: z.string().optional(),
  namespace: z.string().optional(),
  name: z.string().optional(),
  success: z.boolean(),
  payload: z.unknown().optional(),
  diff: z.string().optional().describe('Unified diff of the object.'),
  result: z.unknown().optional(),
  error: z.string().optional(),
  createdAt: z.string(),
  user: z.record(z.string(), z.unknown()),
  workspace: z.string().optional(),
  outcome: z.enum(['succeeded', 'failed', 'pending', 'abandoned']),
  chain: z.array(
    z.object({ id: z.string(), type: z.string(), position: z.string(), stream: z.string(), causationid: z.string().optional() }),
  ),
});

export const projectionStatus = z.object({
  name: z.string(),
  kind: z.enum(['stored', 'resident']),
  version: z.int(),
  generation: z.int(),
  position: z.string(),
  lag: z.int().describe("Events between its position and the log's end."),
  state: z.enum(['running', 'standing-by', 'rebuilding', 'stopped']),
  reason: z.string().optional(),
  progress: z.number().optional(),
  skipped: z.int(),
});

export const verified = z.object({ equal: z.boolean(), rows: z.int(), differences: z.array(z.string()) });

export const parkedCommand = z.object({
  command: z.string(),
  aggregate: z.string(),
  pattern: z.string(),
  reason: z.string(),
  attempts: z.int(),
  since: z.string(),
});

export const readiness = z.object({
  ready: z.boolean(),
  dependencies: z.array(
    z.object({
      name: z.string(),
      state: z.enum(['ok', 'degraded', 'failed', 'unknown']),
      reason: z.string().optional(),
      required: z.boolean(),
    }),
  ),
});

export const reconcilerStatus = z.object({
  reconciler: z.object({
    is_active: z.boolean(),
    last_update: z.string().optional(),
    results: z.array(
      z.object({
        resource_kind: z.string(),
        resource_name: z.string(),
        resource_namespace: z.string(),
        messages: z.array(z.object({ message: z.string() })),
      }),
    ),
  }),
  socketapi: z.object({ is_running: z.boolean() }),
});

export const versionInfo = z.object({ version: z.string(), branch: z.string(), hash: z.string(), buildAt: z.string() });
