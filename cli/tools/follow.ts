import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Refused, shapes } from '../client/index.ts';
import type { Io } from '../frame/index.ts';

const shortest = 500;
const longest = 15_000;

export interface Filter {
  readonly type?: string | undefined;
  readonly stream?: string | undefined;
  readonly command?: string | undefined;
}

/** Events from a place on. Takes a lost connection up again behind the last event it gave; ends when the signal aborts or `count` is reached. */
export async function* follow(
  client: Client,
  io: Io,
  how: { readonly after: string | undefined; readonly count: number | undefined; readonly filter: Filter },
): AsyncIterable<shapes.EventRow> {
  /** Where the stream stood; from then on the operator checks that nothing was lost in between. */
  let at: string | undefined;
  let given = 0;
  let pause = shortest;
  let reached = false;
  while (!io.signal.aborted) {
    try {
      const begin = at === undefined ? { query: { ...how.filter, after: how.after } } : { query: { ...how.filter }, after: at };
      for await (const message of client.stream('/api/v1/events/stream', begin)) {
        reached = true;
        pause = shortest;
        at = message.id ?? at;
        const data = parsed(message.data);
        if (message.event === 'gap' || message.event === 'end') io.err.write(`${said(data)}\n`);
        const event = shapes.event.safeParse(data);
        if (!event.success) continue; // a sign of life, or a message of a later release
        at = event.data.position;
        yield event.data;
        given += 1;
        if (given === how.count) return;
      }
      io.err.write('the stream ended; connecting again\n');
    } catch (error) {
      if (io.signal.aborted) return;
      // The first connection has to work: a wrong address or token does not mend itself.
      if (!reached || (error instanceof Refused && error.status < 500)) throw error;
      io.err.write(`${error instanceof Error ? error.message : String(error)}; connecting again\n`);
    }
    await sleep(pause * (0.5 + Math.random()), undefined, { signal: io.signal }).catch(() => {});
    pause = Math.min(pause * 2, longest);
  }
}

const said = (data: unknown): string => shapes.said.safeParse(data).data?.message ?? 'the operator ends the stream';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
