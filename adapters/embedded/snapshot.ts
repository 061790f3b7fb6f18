import type { Change } from './changes.ts';
import type { State } from './state.ts';

/** The changes that make this state from an empty one: what a rewritten file holds. Applied in this order they give the same state. */
export function* snapshot(state: State): Iterable<Change> {
  yield { k: 'trim', position: state.trimmed };
  for (const event of state.log) yield { k: 'event', event };
  for (const [stream, version] of state.versions) yield { k: 'version', stream, version };
  for (const [id, { position, version, since, digest, discarded }] of state.ids) {
    yield { k: 'id', id, position, version, since, digest, discarded };
  }
  for (const [uid, { resourceVersion, gone }] of state.seen) yield { k: 'seen', uid, resourceVersion, gone };
  yield* commands(state);
  for (const [key, { base64, until }] of state.sealed) yield { k: 'seal', key, base64, until };
  yield { k: 'term', term: state.term };
  yield { k: 'mark', position: state.mark };
  yield { k: 'archived', position: state.archived };
}

function* commands(state: State): Iterable<Change> {
  const queued = [...state.queues.values()].flat();
  const parked = [...state.open.values()].filter((one) => one.parked).map((one) => one.command);
  for (const command of [...queued, ...parked]) {
    const found = state.open.get(command);
    if (!found) continue;
    const { aggregate, digest, position, steps, fence, attempt } = found;
    yield { k: 'open', command, aggregate, digest, position };
    for (const [n, at] of steps) yield { k: 'step', command, n, position: at };
    if (attempt > 0) yield { k: 'claim', command, fence, attempt };
    if (found.parked) yield { k: 'park', command, ...found.parked };
  }
}
