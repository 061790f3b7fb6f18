import { comparePositions, type Position, type RecordedEvent } from '../../domain/event/index.ts';
import type { EventStore } from '../../domain/ports/index.ts';

export type Listener = (event: RecordedEvent) => void;

/**
 * A store whose followers are overheard: each event after `from` is told to the listeners once, in order, by whichever reader is first.
 * The log is read and decoded once for the views anyway; another reader for each listener would cost as much again.
 */
export function tee(store: EventStore, from: Position, listeners: readonly Listener[], onError: (error: unknown) => void): EventStore {
  let heard = from;
  const tell = (event: RecordedEvent) => {
    if (comparePositions(event.position, heard) <= 0) return;
    heard = event.position;
    for (const listen of listeners) {
      try {
        listen(event);
      } catch (error) {
        // A listener must not stop the views that it listens beside.
        onError(error);
      }
    }
  };
  return {
    append: (append) => store.append(append),
    appendAll: (appends) => store.appendAll(appends),
    observe: (observations, term) => store.observe(observations, term),
    read: (stream, after) => store.read(stream, after),
    end: () => store.end(),
    extent: () => store.extent(),
    async *log(after, how = {}) {
      for await (const batch of store.log(after, how)) {
        yield batch;
        // After the views were fed: who listens finds them no older than what it hears.
        if (how.follow) batch.forEach(tell);
      }
    },
  };
}
