import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';

const line = z.object({ type: z.string(), object: z.record(z.string(), z.unknown()) });
export type WatchEvent = z.infer<typeof line>;

export interface Events {
  /** The next event; undefined when the server has ended the watch. */
  next(): Promise<WatchEvent | undefined>;
  /** The next event that is no bookmark. */
  change(): Promise<WatchEvent | undefined>;
  /** All until the server ends the watch. */
  rest(): Promise<readonly WatchEvent[]>;
  close(): void;
}

/** The events of a watch, one JSON object a line. */
export function watchLines(body: Readable): Events {
  body.on('error', () => {});
  const lines = createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const next = async (): Promise<WatchEvent | undefined> => {
    const { value, done } = await lines.next();
    return done ? undefined : line.parse(JSON.parse(value));
  };
  return {
    next,
    async change() {
      for (;;) {
        const event = await next();
        if (event?.type !== 'BOOKMARK') return event;
      }
    },
    async rest() {
      const all: WatchEvent[] = [];
      for (let event = await next(); event; event = await next()) all.push(event);
      return all;
    },
    close: () => void body.destroy(),
  };
}
