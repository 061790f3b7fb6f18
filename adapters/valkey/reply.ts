import { StoreUnavailable } from '../../domain/errors.ts';
import { type Position, parsePosition } from '../../domain/event/index.ts';

// A reply comes from outside: its shape is looked at before it is believed.

export function asList(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw unexpected(reply);
}

export function asText(reply: unknown): string {
  if (typeof reply === 'string') return reply;
  throw unexpected(reply);
}

export function asNumber(reply: unknown): number {
  const number = typeof reply === 'string' && reply !== '' ? Number(reply) : reply;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw unexpected(reply);
}

export function asPosition(reply: unknown): Position {
  const position = typeof reply === 'string' ? parsePosition(reply) : undefined;
  if (position) return position;
  throw unexpected(reply);
}

function unexpected(reply: unknown) {
  return StoreUnavailable({ reason: `an answer of another shape (${Array.isArray(reply) ? 'list' : typeof reply})` });
}
