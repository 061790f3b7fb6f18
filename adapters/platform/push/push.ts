import type { EventPush, Log, Metrics, PlatformEvent } from '../../../domain/ports/index.ts';
import { encodeEvent } from '../../../domain/wire/index.ts';
import type { Frame } from '../link/outbox.ts';
import { createStreamQueue, type QueueLimits, type StreamQueue } from './queue.ts';

const limitsByDefault: QueueLimits = { events: 1000, characters: 32 * 1024 * 1024 };

export interface PushOptions {
  /** The event link's; absent without a platform: then nothing is kept and nothing counts as dropped. */
  readonly send: () => ((frame: Frame) => Promise<boolean>) | undefined;
  readonly newId: () => string;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly limits?: QueueLimits;
}

export interface Push extends EventPush {
  /** Identifies this run of the process to the platform. */
  readonly bootId: string;
  /** Resolves when nothing waits; afterwards `push` does nothing. */
  drain(): Promise<void>;
  /** What waits still, in words. */
  left(): readonly string[];
}

interface Stream {
  readonly queue: StreamQueue;
  seq: number;
  pumping?: Promise<void>;
}

/** Events upward: a queue for each stream, a pump for each queue, all of them sharing the event link fairly. */
export function createPush({ send, newId, metrics, log, limits = limitsByDefault }: PushOptions): Push {
  const bootId = newId();
  const streams = new Map<string, Stream>();
  const drops = metrics.counter('mogenius_operator_platform_events_dropped_total', 'Events that waited too long for the platform', [
    'stream',
  ]);
  let draining = false;

  function streamOf(name: string): Stream {
    const known = streams.get(name);
    if (known) return known;
    const made: Stream = { queue: createStreamQueue(limits), seq: 0 };
    streams.set(name, made);
    drops.add(0, { stream: name });
    return made;
  }

  function encode(event: PlatformEvent, stream: Stream, numbered: boolean | undefined): string {
    const { pattern, payload, user, workspace } = event;
    const stamped = numbered ? { ...(typeof payload === 'object' ? payload : {}), seq: ++stream.seq, bootId } : payload;
    return encodeEvent({ id: newId(), pattern, payload: stamped, ...(user ? { user } : {}), ...(workspace ? { workspace } : {}) });
  }

  async function pump(stream: Stream): Promise<void> {
    for (let out = send(); out; out = send()) {
      const event = stream.queue.take();
      if (!event || !(await out(event))) break;
    }
    stream.pumping = undefined;
  }

  return {
    bootId,
    push(event, { stream: name, key, numbered }) {
      if (draining || !send()) return;
      const stream = streamOf(name);
      let text: string;
      try {
        text = encode(event, stream, numbered);
      } catch (error) {
        drops.add(1, { stream: name });
        log.error('an event could not be written as JSON', { stream: name, pattern: event.pattern, error });
        return;
      }
      const dropped = stream.queue.add({ text, label: event.pattern }, key);
      if (dropped > 0) {
        drops.add(dropped, { stream: name });
        log.warn('events were dropped: the platform is away or slow', { stream: name });
      }
      stream.pumping ??= pump(stream);
    },
    async pushFrom(source, { stream: name, numbered, signal, delivered }) {
      const stream = streamOf(name);
      const aborted = new Promise<false>((resolve) => signal.addEventListener('abort', () => resolve(false), { once: true }));
      for await (const event of source) {
        const out = send();
        if (!out || signal.aborted) return;
        const text = encode(event, stream, numbered);
        const taken = out({ text, label: event.pattern, ...(delivered ? { delivered: () => delivered(event) } : {}) });
        // While the platform is away the queue has no room; that must not hold up a stop.
        if (!(await Promise.race([taken, aborted]))) return;
      }
    },
    async drain() {
      draining = true;
      await Promise.all([...streams.values()].map(({ pumping }) => pumping));
    },
    left: () =>
      [...streams].filter(([, { queue }]) => queue.length > 0).map(([name, { queue }]) => `events: ${queue.length} of ${name} not sent`),
  };
}
