import WebSocket, { type RawData } from 'ws';
import type { Clock } from '../../../domain/ports/index.ts';
import type { Outbox } from './outbox.ts';

const pingEvery = 3_000;
const silentTooLong = 90_000;
const writeDeadline = 10_000;
const goodbye = 2_000;

export interface ConversationOptions {
  readonly socket: WebSocket;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly onText: (text: string) => void;
}

export interface Conversation {
  /** Resolves with why the connection ended, when it is gone for good. */
  readonly ended: Promise<string>;
  /** Sends close frame 1000 behind all that was written, waits a moment for the peer's, then it is gone. */
  close(): void;
  pause(paused: boolean): void;
}

/** Holds one open connection: reads, writes, pings, and notices when the peer is gone although the socket looks open. */
export function converse({ socket, outbox, clock, onText }: ConversationOptions): Conversation {
  const over = new AbortController();
  let heard = clock.monotonic();
  let confirmed = heard;
  let paused = false;
  let closing = false;
  let why: string | undefined;
  /** When each write that is not done yet began. */
  const writes: number[] = [];
  let watching = false;

  function lose(reason: string): void {
    why ??= reason;
    socket.terminate();
  }

  // One timer for all writes: a timer for each would cost more than the write.
  async function watch(): Promise<void> {
    watching = true;
    for (let oldest = writes[0]; oldest !== undefined; oldest = writes[0]) {
      const left = oldest + writeDeadline - clock.monotonic();
      if (left <= 0) return lose(`a write took more than ${writeDeadline / 1000} s`);
      await clock.sleep(left, over.signal);
    }
    watching = false;
  }

  function began(): () => void {
    writes.push(clock.monotonic());
    if (!watching) void watch().catch(() => undefined);
    // Writes end in the order they began.
    return () => void writes.shift();
  }

  function ping(text: string): void {
    if (socket.readyState === WebSocket.OPEN) socket.ping(text, true, began());
  }

  async function beat(): Promise<void> {
    for (;;) {
      await clock.sleep(pingEvery, over.signal);
      // Nothing is heard of a peer that we do not listen to.
      if (paused) heard = clock.monotonic();
      else if (clock.monotonic() - heard > silentTooLong) return lose(`nothing was heard for ${silentTooLong / 1000} s`);
      if (!outbox.stalled || paused) confirmed = clock.monotonic();
      else if (clock.monotonic() - confirmed > silentTooLong) return lose(`pings were not answered for ${silentTooLong / 1000} s`);
      outbox.pinged();
      ping('');
    }
  }

  const ended = new Promise<string>((resolve) => {
    socket.once('close', (code, reason) => {
      over.abort();
      if (closing && socket.readyState === WebSocket.CLOSED && code === 1000) outbox.allDelivered();
      outbox.detach();
      resolve(why ?? (code === 1006 ? 'the connection broke' : `closed by the peer with ${code}${reason.length > 0 ? ` ${reason}` : ''}`));
    });
  });
  socket.on('error', (error) => {
    const tooLarge = 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
    why ??= tooLarge ? 'a frame came that is larger than allowed; closed with 1009' : error.message;
  });
  const hear = () => {
    heard = clock.monotonic();
  };
  socket.on('message', (data) => {
    hear();
    onText(textOf(data));
  });
  socket.on('ping', hear);
  socket.on('pong', (text) => {
    hear();
    confirmed = heard;
    outbox.ponged(text.toString('utf8'));
  });
  void beat().catch(() => undefined);
  outbox.attach({
    write(text, written) {
      const done = began();
      socket.send(text, () => {
        done();
        written();
      });
    },
    buffered: () => socket.bufferedAmount,
    ask: ping,
    deaf: () => paused,
  });
  socket.resume();

  return {
    ended,
    close() {
      if (closing) return;
      closing = true;
      why ??= 'closed here';
      // A paused socket would never show the peer's answer.
      socket.resume();
      socket.close(1000);
      clock.sleep(goodbye, over.signal).then(
        () => socket.terminate(),
        () => undefined,
      );
    },
    pause(now) {
      if (closing || now === paused) return;
      paused = now;
      hear();
      if (now) socket.pause();
      else socket.resume();
      outbox.nudge();
    },
  };
}

/** Text and binary frames are read alike. */
function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8');
}
