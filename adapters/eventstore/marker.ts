import { z } from 'zod';
import { type Position, parsePosition } from '../../domain/event/index.ts';
import type { Segment } from '../../domain/ports/index.ts';

const position = z.custom<Position>((value) => typeof value === 'string' && parsePosition(value) === value, 'not a position');
const revision = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * One event of the stream of segments, the last thing that is written of a segment: what no marker names does not exist for a reader.
 * The n-th event of that stream is segment n, which is what keeps two writers from both adding the same number.
 */
export const marker = z.object({
  format: z.literal(1),
  cluster: z.string(),
  number: z.int().min(1),
  after: position,
  first: position,
  last: position,
  events: z.int().min(1),
  bytes: z.int().min(1),
  hash,
  previous: hash,
  /** Revisions in the stream of events, first and last of each run. More than one where an earlier try left others in between. */
  runs: z.array(z.tuple([revision, revision])),
  /** Every so many events: which one it is, counted from 0, and its position. */
  places: z.array(z.tuple([revision, position])),
  /** Revisions in the stream of indexes. */
  index: z.array(revision),
});
export type Marker = z.infer<typeof marker>;

/** A part of a segment's index: the events of each stream, counted from 0 within the segment. */
export const indexPart = z.object({ number: z.int().min(1), streams: z.record(z.string(), z.array(revision)) });

export const toSegment = ({ number, after, first, last, events, bytes, hash, previous }: Marker): Segment => ({
  number,
  after,
  first,
  last,
  events,
  bytes,
  hash,
  previous,
});

/** The revisions of a segment's events from the `from`-th on, as runs. */
export function revisionsFrom({ runs }: Pick<Marker, 'runs'>, from: number): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  let skip = from;
  for (const [first, last] of runs) {
    const length = last - first + 1;
    if (skip < length) found.push([first + skip, last]);
    skip = Math.max(0, skip - length);
  }
  return found;
}

/** Adds a revision to runs that grow at their end. */
export function extend(runs: [number, number][], next: number): void {
  const last = runs.at(-1);
  if (last && last[1] === next - 1) last[1] = next;
  else runs.push([next, next]);
}
