import { comparePositions, origin, type Position, type RecordedEvent, type StreamName, type Term } from '../../domain/event/index.ts';
import { isIndexed } from '../../domain/ports/index.ts';
import type { Change } from './changes.ts';

export interface OpenCommand {
  readonly command: string;
  readonly aggregate: string;
  readonly digest: string;
  readonly position: Position;
  readonly steps: Map<number, Position>;
  /** The newest claim's fence; 0 when nobody holds it. */
  fence: number;
  attempt: number;
  parked?: { readonly reason: string; readonly since: number; readonly fence: number };
  retried: boolean;
}

export interface Remembered {
  readonly position: Position;
  readonly version: number;
  readonly since: number;
  readonly digest?: string | undefined;
  readonly discarded?: boolean | undefined;
}

/** Everything the store knows. Only `apply` writes to it, so that the file and the memory can't differ. */
export interface State {
  log: RecordedEvent[];
  readonly versions: Map<StreamName, number>;
  readonly index: Map<StreamName, RecordedEvent[]>;
  readonly ids: Map<string, Remembered>;
  readonly seen: Map<string, { readonly resourceVersion: string; readonly gone: boolean }>;
  readonly open: Map<string, OpenCommand>;
  readonly queues: Map<string, string[]>;
  readonly sealed: Map<string, { readonly base64: string; readonly until?: number | undefined }>;
  term: Term;
  fence: number;
  last: Position;
  mark: Position;
  archived: Position;
  trimmed: Position;
}

export const emptyState = (): State => ({
  log: [],
  versions: new Map(),
  index: new Map(),
  ids: new Map(),
  seen: new Map(),
  open: new Map(),
  queues: new Map(),
  sealed: new Map(),
  term: 0,
  fence: 0,
  last: origin,
  mark: origin,
  archived: origin,
  trimmed: origin,
});

/** Ids are remembered for a day or the newest million, whichever is more time than any deadline. */
const remembered = { milliseconds: 86_400_000, ids: 1_000_000 };

export function apply(state: State, change: Change): void {
  switch (change.k) {
    case 'event':
      addEvent(state, change.event);
      return;
    case 'version':
      state.versions.set(change.stream, change.version);
      return;
    case 'id':
      state.ids.set(change.id, change);
      forgetIds(state, change.since);
      return;
    case 'term':
      state.term = Math.max(state.term, change.term);
      return;
    case 'seen':
      state.seen.set(change.uid, change);
      return;
    case 'seal':
      state.sealed.set(change.key, change);
      return;
    case 'unseal':
      state.sealed.delete(change.key);
      return;
    case 'mark':
      state.mark = later(state.mark, change.position);
      return;
    case 'archived':
      state.archived = later(state.archived, change.position);
      return;
    case 'trim':
      trimTo(state, change.position);
      return;
    default:
      applyToCommand(state, change);
  }
}

type CommandChange = Extract<Change, { command: string }>;

function applyToCommand(state: State, change: CommandChange): void {
  if (change.k === 'open') {
    const { command, aggregate, digest, position } = change;
    state.open.set(command, { command, aggregate, digest, position, steps: new Map(), fence: 0, attempt: 0, retried: false });
    join(state, aggregate, command);
    return;
  }
  const found = state.open.get(change.command);
  if (!found) return;
  switch (change.k) {
    case 'step':
      found.steps.set(change.n, change.position);
      return;
    case 'claim':
      found.fence = change.fence;
      found.attempt = change.attempt;
      state.fence = Math.max(state.fence, change.fence);
      return;
    case 'close':
      leave(state, found);
      state.open.delete(change.command);
      return;
    case 'park':
      leave(state, found);
      found.fence = 0;
      found.parked = { reason: change.reason, since: change.since, fence: change.fence };
      return;
    case 'requeue':
      delete found.parked;
      found.attempt = 0;
      found.retried = true;
      join(state, found.aggregate, found.command);
      return;
  }
}

function addEvent(state: State, event: RecordedEvent): void {
  state.log.push(event);
  state.last = later(state.last, event.position);
  state.versions.set(event.stream, event.version);
  if (!isIndexed(event.stream)) return;
  const index = state.index.get(event.stream);
  if (index) index.push(event);
  else state.index.set(event.stream, [event]);
}

function trimTo(state: State, position: Position): void {
  const removed = state.log.splice(0, indexAfter(state.log, position));
  for (const { stream, version } of removed) {
    const index = state.index.get(stream);
    if (index) index.splice(0, index.findIndex((event) => event.version > version) >>> 0);
    if (!isIndexed(stream) && state.versions.get(stream) === version) state.versions.delete(stream);
  }
  state.trimmed = later(state.trimmed, removed.at(-1)?.position ?? position);
  state.last = later(state.last, state.trimmed);
}

function join(state: State, aggregate: string, command: string): void {
  const queue = state.queues.get(aggregate);
  if (queue) queue.push(command);
  else state.queues.set(aggregate, [command]);
}

function leave(state: State, { aggregate, command }: OpenCommand): void {
  const rest = (state.queues.get(aggregate) ?? []).filter((id) => id !== command);
  if (rest.length > 0) state.queues.set(aggregate, rest);
  else state.queues.delete(aggregate);
}

/** A Map keeps the order of insertion, so the oldest come first. */
function forgetIds(state: State, now: number): void {
  for (const [id, { since }] of state.ids) {
    if (state.ids.size <= remembered.ids && since > now - remembered.milliseconds) return;
    state.ids.delete(id);
  }
}

export const later = (a: Position, b: Position): Position => (comparePositions(a, b) >= 0 ? a : b);

/** Index of the first event after a position. The log is ordered, so a search by halves finds the place. */
export function indexAfter(log: readonly RecordedEvent[], after: Position): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePositions(log[middle]?.position ?? origin, after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function eventAt(state: State, position: Position): RecordedEvent | undefined {
  const found = state.log[indexAfter(state.log, position) - 1];
  return found?.position === position ? found : undefined;
}
