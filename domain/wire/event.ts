import type { DatagramUser } from './datagram.ts';

/** What is told to the platform without being asked. Nobody answers it. */
export interface EventDatagram {
  readonly id: string;
  readonly pattern: string;
  readonly payload: unknown;
  readonly user?: DatagramUser;
  readonly workspace?: string;
}

/** An event as text: never compressed, `user` always there. Throws what JSON.stringify throws. */
export function encodeEvent({ id, pattern, payload, user, workspace }: EventDatagram): string {
  return JSON.stringify({ id, pattern, user: wireUser(user), ...(workspace ? { workspace } : {}), payload: payload ?? null });
}

/** The wire always has `apiKey`, so that an empty user is `{"apiKey":{}}`. */
export function wireUser(user: DatagramUser | undefined): Readonly<Record<string, unknown>> {
  const { apiKey, ...who } = user ?? {};
  return { ...who, apiKey: apiKey ?? {} };
}
