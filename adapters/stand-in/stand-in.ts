import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Module } from '../../domain/ports/index.ts';
import { type OperatorDatagram, readDatagram, writeRequest } from './datagram.ts';
import { createKept, type Kept } from './kept.ts';
import { type StandInOptions, usualUser } from './options.ts';
import { type Connection, createSockets, type Kind } from './sockets.ts';

export interface SendOptions {
  readonly id?: string;
  /** Which of the open API links; the default goes round. */
  readonly link?: number;
  readonly user?: unknown;
  readonly workspace?: string;
  /** Sends the payload compressed. */
  readonly zlib?: boolean;
  /** Milliseconds until the promise is rejected. Default 30,000. */
  readonly timeout?: number;
}

export interface Answered {
  /** The answer, its payload decompressed. */
  readonly datagram: OperatorDatagram;
  /** Whether it came compressed. */
  readonly compressed: boolean;
  /** From sending to reading the answer. */
  readonly ms: number;
}

/** The platform's side of the protocol, for the demo, the tests and the benchmark. */
export interface StandInPlatform extends Module {
  /** Known once started. */
  readonly apiUrl: string;
  readonly eventUrl: string;
  /** Sends a request and waits for its answer, on whichever link that comes. */
  send(pattern: string, payload?: unknown, options?: SendOptions): Promise<Answered>;
  /** Sends a frame as it is. */
  raw(frame: string | Uint8Array, link?: number): void;
  /** Events that were pushed. Iterating waits for more. */
  readonly pushed: Kept<OperatorDatagram>;
  /** Answers to nothing that was asked, and frames that break the protocol (as text). */
  readonly strangers: Kept<OperatorDatagram | string>;
  /** Answers that came again; an operator may repeat them after a lost connection. */
  readonly repeats: Kept<OperatorDatagram>;
  /** Every connection that was ever made, with its headers. */
  readonly connections: readonly Connection[];
  open(kind: Kind): number;
  /** Resolves when so many links of the kind are open. */
  connected(kind: Kind, count: number): Promise<void>;
  /** Tears the connection without a close frame. */
  drop(link: number, kind?: Kind): void;
  /** Ends it with a close frame. */
  close(link: number, code?: number, kind?: Kind): void;
  /** Stops reading, or reads on. */
  pause(link: number, paused?: boolean, kind?: Kind): void;
  /** Bytes that the operator's side does not take. */
  buffered(link: number, kind?: Kind): number;
  /** How many pings came in. */
  pings(): number;
  /** Turns new connections away. */
  refuse(on: boolean): void;
  /** Answers no more pings. */
  mute(on: boolean): void;
}

/** Knows the answers of this many requests; older ones count as strangers. */
const remembered = 100_000;

export function createStandInPlatform(options: StandInOptions = {}): StandInPlatform {
  const most = options.kept ?? 10_000;
  const pushed = createKept<OperatorDatagram>(most);
  const strangers = createKept<OperatorDatagram | string>(most);
  const repeats = createKept<OperatorDatagram>(most);
  const pending = new Map<string, ((datagram: OperatorDatagram, compressed: boolean) => void)[]>();
  const asked = new Set<string>();
  let watchers: (() => void)[] = [];
  let port = options.port ?? 0;
  let turn = 0;

  const sockets = createSockets({
    ...options,
    onChange() {
      const all = watchers;
      watchers = [];
      for (const look of all) look();
    },
    onFrame(kind, text) {
      let datagram: OperatorDatagram;
      try {
        datagram = readDatagram(text);
      } catch {
        strangers.add(text.slice(0, 200));
        return;
      }
      if (kind === 'events') return pushed.add(datagram);
      // The same id may be asked twice, and then has two answers.
      const waiting = pending.get(datagram.id);
      const first = waiting?.shift();
      if (waiting?.length === 0) pending.delete(datagram.id);
      if (first) first(datagram, datagram.zlib === true);
      else if (asked.has(datagram.id)) repeats.add(datagram);
      else strangers.add(datagram);
    },
  });

  function socket(kind: Kind, link: number) {
    const found = sockets.open[kind][link];
    if (!found) throw new Error(`no link ${link} of the ${kind} kind is open`);
    return found;
  }

  function remember(id: string): void {
    asked.add(id);
    if (asked.size <= remembered) return;
    for (const oldest of asked) {
      asked.delete(oldest);
      break;
    }
  }

  const urlOf = (path: string) => `${options.tls ? 'wss' : 'ws'}://127.0.0.1:${port}${path}`;

  return {
    name: 'stand-in-platform',
    get apiUrl() {
      return urlOf('/api');
    },
    get eventUrl() {
      return urlOf('/events');
    },
    pushed,
    strangers,
    repeats,
    connections: sockets.connections,
    async start() {
      port = await sockets.listen();
    },
    async stop() {
      await sockets.shut();
      return { dropped: [...pending.keys()].map((id) => `the answer to ${id} did not come`) };
    },
    send(pattern, payload, how = {}) {
      const id = how.id ?? `s-${randomUUID()}`;
      return new Promise((resolve, reject) => {
        const peer = socket('api', how.link ?? turn++ % Math.max(1, sockets.open.api.length));
        const begun = performance.now();
        const answer = (datagram: OperatorDatagram, compressed: boolean) => {
          clearTimeout(timer);
          resolve({ datagram, compressed, ms: performance.now() - begun });
        };
        const timer = setTimeout(() => {
          const left = (pending.get(id) ?? []).filter((other) => other !== answer);
          if (left.length > 0) pending.set(id, left);
          else pending.delete(id);
          reject(new Error(`no answer to ${pattern} (${id}) in time`));
        }, how.timeout ?? 30_000);
        pending.set(id, [...(pending.get(id) ?? []), answer]);
        remember(id);
        const { user = usualUser, workspace } = how;
        peer.send(writeRequest({ id, pattern, payload, user, ...(workspace ? { workspace } : {}) }, how.zlib ?? false));
      });
    },
    raw: (frame, link = 0) => socket('api', link).send(frame),
    open: (kind) => sockets.open[kind].length,
    connected(kind, count) {
      return new Promise((resolve) => {
        const look = () => (sockets.open[kind].length >= count ? resolve() : void watchers.push(look));
        look();
      });
    },
    drop: (link, kind = 'api') => socket(kind, link).terminate(),
    close: (link, code = 1000, kind = 'api') => socket(kind, link).close(code),
    pause(link, paused = true, kind = 'api') {
      const peer = socket(kind, link);
      if (paused) peer.pause();
      else peer.resume();
    },
    buffered: (link, kind = 'api') => socket(kind, link).bufferedAmount,
    pings: () => sockets.pings,
    refuse(on) {
      sockets.manners.refuse = on;
    },
    mute(on) {
      sockets.manners.mute = on;
    },
  };
}
