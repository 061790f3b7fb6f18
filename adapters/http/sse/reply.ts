import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../domain/ports/index.ts';

export interface Message {
  /** Default: `message`. */
  readonly event?: string;
  readonly id?: string;
  readonly data: unknown;
}

/** One response of server-sent events. Nothing is queued: `send` waits until the reader has room, so that a slow one costs one message. */
export interface SsePort {
  /** Aborts when the reader went away or was given up. */
  readonly gone: AbortSignal;
  send(message: Message): Promise<void>;
  /** Sent only when the reader has room: for what the next message makes stale. */
  offer(message: Message): void;
  /** A sign of life, skipped while the reader has no room. `id`: where it stands, so that it need not begin earlier when it comes again. */
  heartbeat(id?: string): void;
  /** Says why, then closes. */
  end(data: Readonly<Record<string, unknown>>): void;
}

/** Takes the reply over. A reader that makes no room for `slowReader` ms is told the reason and given up. */
export function openSse(reply: FastifyReply, { clock, slowReader }: { readonly clock: Clock; readonly slowReader: number }): SsePort {
  const { raw } = reply;
  reply.hijack();
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  raw.on('error', () => gone.abort());
  raw.writeHead(200, {
    ...Object.fromEntries(Object.entries(reply.getHeaders()).filter(([name]) => !name.startsWith('x-ratelimit'))),
    'content-type': 'text/event-stream; charset=utf-8',
    // The stream is the last answer of its connection: kept alive after the end it would hold a stop up.
    connection: 'close',
    // A proxy that gathers what it passes on would hold events back.
    'x-accel-buffering': 'no',
  });
  raw.write('retry: 1000\n\n');

  const end = (data: Readonly<Record<string, unknown>>) => {
    if (gone.signal.aborted) return;
    raw.end(frame({ event: 'end', data }));
    gone.abort();
  };

  async function room(): Promise<void> {
    const waiting = new AbortController();
    const signal = AbortSignal.any([gone.signal, waiting.signal]);
    const drained = once(raw, 'drain', { signal }).then(
      () => true,
      () => true,
    );
    const late = clock.sleep(slowReader, signal).then(
      () => false,
      () => true,
    );
    const inTime = await Promise.race([drained, late]);
    waiting.abort();
    if (inTime) return;
    end({ reason: 'slow', message: `nothing was read for ${slowReader / 1000} s` });
    // What it does not read keeps its memory here: it gets the same time once more, then the connection is cut.
    clock.sleep(slowReader).then(() => raw.destroy());
  }

  return {
    gone: gone.signal,
    end,
    async send(message) {
      if (gone.signal.aborted) return;
      if (!raw.write(frame(message))) await room();
    },
    offer(message) {
      if (!gone.signal.aborted && !raw.writableNeedDrain) raw.write(frame(message));
    },
    heartbeat(id) {
      if (!gone.signal.aborted && !raw.writableNeedDrain) raw.write(id === undefined ? ': alive\n\n' : `: alive\nid: ${id}\n\n`);
    },
  };
}

function frame({ event, id, data }: Message): string {
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
