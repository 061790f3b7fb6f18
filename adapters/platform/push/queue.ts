export interface QueueLimits {
  readonly events: number;
  readonly characters: number;
}

export interface Waiting {
  readonly text: string;
  readonly label: string;
}

export interface StreamQueue {
  /** Gives how many were dropped to make room. */
  add(event: Waiting, key?: string): number;
  take(): Waiting | undefined;
  readonly length: number;
}

/**
 * Events of one stream that wait, in order. Where there is no more room the oldest goes: what comes next then shows the gap at once.
 * A newer event of the same key takes the place of the one that waits; at the end of the queue an object that changes all the time would never be told of.
 */
export function createStreamQueue(limits: QueueLimits): StreamQueue {
  // A Map keeps the order of first insertion and is both the queue and its index.
  const waiting = new Map<string | symbol, Waiting>();
  let characters = 0;

  function take(): Waiting | undefined {
    for (const [key, event] of waiting) {
      waiting.delete(key);
      characters -= event.text.length;
      return event;
    }
    return undefined;
  }

  return {
    add(event, key) {
      const place = key ?? Symbol();
      characters += event.text.length - (waiting.get(place)?.text.length ?? 0);
      waiting.set(place, event);
      let dropped = 0;
      while (waiting.size > limits.events || (characters > limits.characters && waiting.size > 1)) {
        take();
        dropped++;
      }
      return dropped;
    },
    take,
    get length() {
      return waiting.size;
    },
  };
}
