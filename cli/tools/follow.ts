import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Refused, shapes } from '../client/index.ts';
import type { Io } from '../frame/index.ts';

const shortest = 500;
const longest = 15_000;

/** Events from a place on. Takes a lost connection up again behind the last event it gave; ends when the signal aborts or `count` is reached. */
export async function* follow(
  client: Client,
  io: Io,
  how: {
    readonly after: string | undefined;
    readonly count: number | undefined;
    readonly type: string | undefined;
    readonly stream: string | undefined;
  },
): AsyncIterable<shapes.EventRow> {
  let after = how.after;
  let given = 0;
  let pause = shortest;
  let reached = false;
  while (!io.signal.aborted) {
    try {
      const query = { type: how.type, stream: how.stream, ...(after === undefined ? {} : { after }) };
      for await (const message of client.stream('/api/v1/events/stream', { query, ...(after === undefined ? {} : { after }) })) {
        reached = true;
        pause = shortest;
        after = message.id ?? after;
        const event = shapes.event.safeParse(parsed(message.data));
        if (!event.success) continue; // a sign of life, the reason of an end, or a message of a later release
        after = event.data.position;
        yield event.data;
        given += 1;
        if (given === how.count) return;
      }
      io.err.write('the operator ended the stream; connecting again\n');
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
