import { type Position, timeOf } from '../domain/event/index.ts';

/** The greatest position below. No sequence comes near the largest exact number. */
export function justBefore(at: Position): Position {
  const sequence = Number(at.slice(at.indexOf('-') + 1));
  return sequence > 0 ? `${timeOf(at)}-${sequence - 1}` : `${timeOf(at) - 1}-${Number.MAX_SAFE_INTEGER}`;
}
