export interface Arrived {
  readonly text: string;
  /** Epoch ms. */
  readonly at: number;
  /** It came after the stop began: it is answered, but not carried out. */
  readonly late: boolean;
}

export interface InboxOptions {
  readonly running: number;
  readonly waiting: number;
  /** Handles one frame. Never rejects. */
  readonly handle: (arrived: Arrived) => Promise<void>;
  /** The connection is to be read no further, or again. */
  readonly onFull: (full: boolean) => void;
}

export interface Inbox {
  take(arrived: Arrived): void;
  readonly full: boolean;
  /** Resolves when nothing runs or waits. */
  drained(): Promise<void>;
  /** Drops what waits; gives how many of them there were, with those that still run. */
  close(): number;
}

/**
 * The requests of one link: so many run at once, so many wait, then the connection is read no further and the peer feels it. Frames that came in
 * one piece with the last one are still taken; that is at most one read of the socket, 64 KiB.
 */
export function createInbox({ running: most, waiting: longest, handle, onFull }: InboxOptions): Inbox {
  let waiting: Arrived[] = [];
  let running = 0;
  let full = false;
  let drains: (() => void)[] = [];

  function setFull(now: boolean): void {
    if (now === full) return;
    full = now;
    onFull(now);
  }

  function next(): void {
    while (running < most) {
      const arrived = waiting.shift();
      if (!arrived) break;
      running++;
      void handle(arrived).then(() => {
        running--;
        next();
      });
    }
    // Reading begins again at half, not at each single request: pausing a socket costs more than a request.
    if (waiting.length >= longest) setFull(true);
    else if (waiting.length <= longest / 2) setFull(false);
    if (running === 0 && waiting.length === 0) {
      for (const done of drains) done();
      drains = [];
    }
  }

  return {
    take(arrived) {
      waiting.push(arrived);
      next();
    },
    get full() {
      return full;
    },
    drained() {
      return new Promise((done) => {
        drains.push(done);
        next();
      });
    },
    close() {
      const left = waiting.length + running;
      waiting = [];
      return left;
    },
  };
}
