import { z } from 'zod';

/** Who asks, as the platform says. Its keys are the wire's. */
export interface DatagramUser {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly source?: string;
  readonly apiKey?: { readonly id?: string; readonly name?: string };
  readonly isMcpRequest?: boolean;
}

/**
 * One frame of the platform's links. Keys are matched exactly: `Pattern` is no pattern (the former decoder ignored case, senders never used that).
 * Unknown keys are ignored, null is the same as absent.
 */
export interface Datagram {
  readonly id: string;
  readonly pattern: string;
  readonly payload?: unknown;
  readonly username?: string;
  readonly err?: string;
  readonly user?: DatagramUser;
  readonly workspace?: string;
  readonly zlib?: boolean;
}

/** Ids and patterns become keys and labels: longer ones are refused. */
export const longestName = 512;

const short = z.string().max(1024).nullish();

const user = z.object({
  firstName: short,
  lastName: short,
  email: short,
  source: short,
  apiKey: z.object({ id: short, name: short }).nullish(),
  isMcpRequest: z.boolean().nullish(),
});

/** What is read of a frame before anything is required: types and lengths only. */
export const envelope = z.object({
  id: z.string().max(longestName).nullish(),
  pattern: z.string().max(longestName).nullish(),
  payload: z.unknown().optional(),
  username: short,
  err: short,
  user: user.nullish(),
  workspace: short,
  zlib: z.boolean().nullish(),
});
export type Envelope = z.infer<typeof envelope>;

const present = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** The user without keys that are null, empty or false, so that an empty one leaves nothing. */
export function tidyUser(given: z.infer<typeof user>): DatagramUser {
  return {
    ...(given.firstName ? { firstName: given.firstName } : {}),
    ...(given.lastName ? { lastName: given.lastName } : {}),
    ...(given.email ? { email: given.email } : {}),
    ...(given.source ? { source: given.source } : {}),
    ...(given.apiKey
      ? { apiKey: { ...(given.apiKey.id ? { id: given.apiKey.id } : {}), ...(given.apiKey.name ? { name: given.apiKey.name } : {}) } }
      : {}),
    ...(given.isMcpRequest ? { isMcpRequest: true } : {}),
  };
}

/** A checked envelope as a datagram. */
export function datagramOf(id: string, pattern: string, given: Envelope): Datagram {
  return {
    id,
    pattern,
    ...(present(given.payload) ? { payload: given.payload } : {}),
    ...(given.username ? { username: given.username } : {}),
    ...(given.err ? { err: given.err } : {}),
    ...(given.user ? { user: tidyUser(given.user) } : {}),
    ...(given.workspace ? { workspace: given.workspace } : {}),
    ...(given.zlib ? { zlib: true } : {}),
  };
}
