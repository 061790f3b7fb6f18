import { z } from 'zod';
import { type Position, parsePosition } from '../../domain/event/index.ts';

const position = z.custom<Position>((value) => typeof value === 'string' && parsePosition(value) === value, 'not a position');
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const place = z.tuple([z.int().min(0), z.int().min(1)]);

/** First line of a segment's file: what it is, for whoever opens it. */
export const header = z.object({
  kind: z.literal('header'),
  format: z.literal(1),
  cluster: z.string(),
  number: z.int().min(1),
  after: position,
  previous: hash,
});

/** First line of the index: each frame of events by its offset and bytes, the first position in it, and how many. */
export const blocks = z.object({
  kind: z.literal('blocks'),
  blocks: z.array(z.tuple([z.int().min(0), z.int().min(1), position, z.int().min(1)])),
});
export type Block = z.infer<typeof blocks>['blocks'][number];

/** One line of the index per stream: in which frames its events are. */
export const streamPlaces = z.object({ kind: z.literal('stream'), stream: z.string(), blocks: z.array(z.int().min(0)) });

/** Last line: all that is known only at the end, and where the index is. */
export const trailer = header.extend({
  kind: z.literal('trailer'),
  first: position,
  last: position,
  events: z.int().min(1),
  hash,
  index: place,
});
export type Trailer = z.infer<typeof trailer>;
