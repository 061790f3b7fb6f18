import { z } from 'zod';

/** Which object an audit entry is about. */
export const attribution = z.object({
  kind: z.string().optional(),
  apiVersion: z.string().optional(),
  namespace: z.string().optional(),
  name: z.string().optional(),
});
export type Attribution = z.infer<typeof attribution>;

/** The intent, appended before anything is done: a crash leaves it visible without an outcome. */
export const commandAccepted = z.object({
  pattern: z.string(),
  aggregate: z.string(),
  /** Decoded and redacted. What the handler needs whole is sealed beside the log. */
  payload: z.unknown(),
  workspace: z.string().optional(),
  receivedAt: z.string(),
  deadline: z.string(),
  /** Keyed digest of pattern and payload: tells a repeat from another request under the same id. */
  digest: z.string(),
  /** Whether the audit log lists it. */
  audited: z.boolean(),
  attribution: attribution.optional(),
});
export type CommandAccepted = z.infer<typeof commandAccepted>;

/** Something a second attempt must know, recorded before the effect it belongs to. */
export const commandStepped = z.object({ n: z.number(), name: z.string(), data: z.record(z.string(), z.unknown()).optional() });
export type CommandStepped = z.infer<typeof commandStepped>;

export const commandSucceeded = z.object({
  /** What the caller got, redacted. */
  result: z.unknown(),
  attribution: attribution.optional(),
  /** Unified diff of the object, redacted. */
  diff: z.string().optional(),
  /** The whole result is sealed beside the log, for as long as a repeat gets the same answer. */
  resultSealed: z.boolean().optional(),
});
export type CommandSucceeded = z.infer<typeof commandSucceeded>;

export const commandFailed = z.object({
  error: z.object({ code: z.string(), message: z.string(), status: z.number() }),
  attribution: attribution.optional(),
});
export type CommandFailed = z.infer<typeof commandFailed>;

export const commandAbandoned = z.object({ reason: z.string() });
export const commandParked = z.object({ reason: z.string(), attempts: z.number() });
export const commandRetried = z.object({ by: z.string().optional() });
export const commandDiscarded = z.object({ by: z.string() });

export const commandEvents = {
  CommandAccepted: commandAccepted,
  CommandStepped: commandStepped,
  CommandSucceeded: commandSucceeded,
  CommandFailed: commandFailed,
  CommandAbandoned: commandAbandoned,
  CommandParked: commandParked,
  CommandRetried: commandRetried,
  CommandDiscarded: commandDiscarded,
} as const;

/** Events after which there will be no other outcome. */
export const outcomeTypes: ReadonlySet<string> = new Set(['CommandSucceeded', 'CommandFailed', 'CommandAbandoned', 'CommandDiscarded']);
