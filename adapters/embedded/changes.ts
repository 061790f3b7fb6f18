import { z } from 'zod';
import { actor, type Position, type RecordedEvent, type StreamName } from '../../domain/event/index.ts';

const position = z.custom<Position>((value) => typeof value === 'string' && /^\d+-\d+$/.test(value));
const stream = z.custom<StreamName>((value) => typeof value === 'string' && value.includes('/'));
const event: z.ZodType<RecordedEvent> = z.object({
  id: z.string(),
  source: z.string(),
  stream,
  version: z.number(),
  position,
  type: z.string(),
  schema: z.number(),
  time: z.string(),
  data: z.unknown(),
  commandid: z.string().optional(),
  causationid: z.string().optional(),
  correlationid: z.string().optional(),
  actor: actor.optional(),
});

/** One thing that changes in the store. A line of the file is a list of them: what one call did, whole or not at all. */
export const change = z.discriminatedUnion('k', [
  z.object({ k: z.literal('event'), event }),
  z.object({ k: z.literal('version'), stream, version: z.number() }),
  /** The answer that a repeat of this append gets. `digest` belongs to outcomes, `discarded` to those of parked commands. */
  z.object({
    k: z.literal('id'),
    id: z.string(),
    position,
    version: z.number(),
    since: z.number(),
    digest: z.string().optional(),
    discarded: z.boolean().optional(),
  }),
  z.object({ k: z.literal('term'), term: z.number() }),
  z.object({ k: z.literal('seen'), uid: z.string(), resourceVersion: z.string(), gone: z.boolean() }),
  z.object({ k: z.literal('open'), command: z.string(), aggregate: z.string(), digest: z.string(), position }),
  z.object({ k: z.literal('step'), command: z.string(), n: z.number(), position }),
  z.object({ k: z.literal('claim'), command: z.string(), fence: z.number(), attempt: z.number() }),
  z.object({ k: z.literal('close'), command: z.string() }),
  z.object({ k: z.literal('park'), command: z.string(), reason: z.string(), since: z.number(), fence: z.number() }),
  z.object({ k: z.literal('requeue'), command: z.string() }),
  z.object({ k: z.literal('seal'), key: z.string(), base64: z.string(), until: z.number().optional() }),
  z.object({ k: z.literal('unseal'), key: z.string() }),
  z.object({ k: z.literal('mark'), position }),
  z.object({ k: z.literal('archived'), position }),
  z.object({ k: z.literal('trim'), position }),
]);
export type Change = z.infer<typeof change>;
