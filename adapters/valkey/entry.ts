import type { Actor, NewEvent, Position, RecordedEvent, StreamName } from '../../domain/event/index.ts';

/** What an acceptance needs beside its event, so that queues can be made anew from the log. */
export interface Queueing {
  readonly aggregate: string;
  readonly digest: string;
}

/** An event as it lies in the log. `s` comes first: a trim reads the stream's name without reading the whole. */
interface Stored {
  readonly s: StreamName;
  readonly i: string;
  readonly t: string;
  readonly n: number;
  readonly w: string;
  readonly c?: string | undefined;
  readonly a?: string | undefined;
  readonly r?: string | undefined;
  readonly u?: Actor | undefined;
  readonly d: unknown;
  readonly g?: string | undefined;
  readonly h?: string | undefined;
}

/** The JSON of one event; the function puts the version before it and Valkey gives it its position. */
export function encode(stream: StreamName, id: string, event: NewEvent, queueing?: Queueing): string {
  const stored: Stored = {
    s: stream,
    i: id,
    t: event.type,
    n: event.schema,
    w: event.time,
    c: event.commandid,
    a: event.causationid,
    r: event.correlationid,
    u: event.actor,
    d: event.data,
    g: queueing?.aggregate,
    h: queueing?.digest,
  };
  return JSON.stringify(stored);
}

export function decode(source: string, position: Position, entry: string): RecordedEvent {
  return record(source, position, entry, parse(entry));
}

/** What an acceptance says about its queue; undefined for other events. */
export function queueingOf(entry: string): Queueing | undefined {
  const { g, h } = parse(entry);
  return g === undefined || h === undefined ? undefined : { aggregate: g, digest: h };
}

function parse(entry: string): Stored {
  return JSON.parse(entry.slice(entry.indexOf('{')));
}

function record(source: string, position: Position, entry: string, stored: Stored): RecordedEvent {
  const { s, i, t, n, w, c, a, r, u, d } = stored;
  return {
    id: i,
    source,
    stream: s,
    // Ends at `!` or `{`, whichever comes first.
    version: Number.parseInt(entry, 10),
    position,
    type: t,
    schema: n,
    time: w,
    data: d,
    ...(c === undefined ? undefined : { commandid: c }),
    ...(a === undefined ? undefined : { causationid: a }),
    ...(r === undefined ? undefined : { correlationid: r }),
    ...(u === undefined ? undefined : { actor: u }),
  };
}
