import { createWindow } from './window.ts';

/** One text frame on its way out. */
export interface Frame {
  readonly text: string;
  /** What it is, for the list of what was dropped. */
  readonly label: string;
  /** The peer has read it. */
  readonly delivered?: () => void;
}

/** The connection, as the outbox sees it. */
export interface Writer {
  write(text: string, written: () => void): void;
  /** Bytes the connection holds that are not yet with the operating system. */
  buffered(): number;
  /** Sends a ping with this text; its pong confirms what was written before. */
  ask(text: string): void;
  /** It is not being read: no pong can arrive. */
  deaf(): boolean;
}

export interface OutboxLimits {
  /** Frames and characters that wait; beyond that the senders wait. */
  readonly queue: number;
  readonly queueCharacters: number;
  /** Frames and characters that are written and not confirmed; beyond that nothing is written. */
  readonly frames: number;
  readonly characters: number;
}

const limitsByDefault: OutboxLimits = { queue: 100, queueCharacters: 64 * 1024 * 1024, frames: 256, characters: 8 * 1024 * 1024 };
/** Frames are handed over while the connection holds less than this. */
const highWater = 1024 * 1024;

export interface Outbox {
  /** Resolves with true when the frame has its place in the queue, with false when the outbox was closed. */
  put(frame: Frame): Promise<boolean>;
  /** From now on frames go to this connection. */
  attach(writer: Writer): void;
  /** The connection is gone. What was not confirmed goes out again on the next one, in the same order and before all else. */
  detach(): void;
  /** An empty ping was written. */
  pinged(): void;
  /** A pong came, with the text of its ping. */
  ponged(text: string): void;
  /** Everything written was read: the peer answered our close frame. */
  allDelivered(): void;
  /** Looks again whether something can be written: the connection is read no longer, or again. */
  nudge(): void;
  /** Nothing can be written before something is confirmed. */
  readonly stalled: boolean;
  /** Resolves when nothing waits to be written. */
  drained(): Promise<void>;
  /** Ends it; gives the labels of what is not known to be with the peer. */
  close(): readonly string[];
}

/**
 * What a link has to say. A frame that the operating system took may still be lost with its connection, so it is kept until a pong shows that the
 * peer has read so far. The peer may thus get a frame twice (same id), but never miss one in between.
 */
export function createOutbox(limits: OutboxLimits = limitsByDefault): Outbox {
  const window = createWindow(limits);
  let queue: Frame[] = [];
  let queued = 0;
  let waiting: { readonly frame: Frame; readonly admit: (taken: boolean) => void }[] = [];
  let drains: (() => void)[] = [];
  let writer: Writer | undefined;
  let closed = false;

  function admit(): void {
    while (queue.length < limits.queue && queued < limits.queueCharacters) {
      const next = waiting.shift();
      if (!next) break;
      queue.push(next.frame);
      queued += next.frame.text.length;
      next.admit(true);
    }
  }

  function pump(): void {
    for (;;) {
      admit();
      if (!writer) break;
      const question = window.question();
      if (question) writer.ask(question);
      // Reading stops when requests are not carried out fast enough, and they are not done before their answers are taken here:
      // waiting for a pong now would be waiting for ourselves.
      while (queue.length > 0 && window.full && writer.deaf()) window.forget();
      if (window.full || writer.buffered() > highWater) break;
      const frame = queue.shift();
      if (!frame) break;
      queued -= frame.text.length;
      window.add(frame);
      writer.write(frame.text, pump);
    }
    if (queue.length > 0 || waiting.length > 0) return;
    for (const done of drains) done();
    drains = [];
  }

  return {
    put(frame) {
      if (closed) return Promise.resolve(false);
      return new Promise((admitted) => {
        waiting.push({ frame, admit: admitted });
        pump();
      });
    },
    attach(next) {
      writer = next;
      pump();
    },
    detach() {
      writer = undefined;
      const again = window.reset();
      queue = [...again, ...queue];
      for (const frame of again) queued += frame.text.length;
    },
    pinged: () => window.mark(''),
    ponged(text) {
      window.confirm(text);
      pump();
    },
    nudge: pump,
    allDelivered: () => window.confirmAll(),
    get stalled() {
      return window.full;
    },
    drained() {
      if (closed) return Promise.resolve();
      return new Promise((done) => {
        drains.push(done);
        pump();
      });
    },
    close() {
      closed = true;
      const left = [...window.reset(), ...queue, ...waiting.map(({ frame }) => frame)].map(({ label }) => label);
      for (const { admit: refuse } of waiting) refuse(false);
      for (const done of drains) done();
      [queue, waiting, drains] = [[], [], []];
      return left;
    },
  };
}
