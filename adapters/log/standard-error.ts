import { constants, fstatSync, openSync, write } from 'node:fs';

/** Takes lines and returns at once. */
export interface LineWriter {
  /** `line` ends with its line end. */
  write(line: string): void;
  /** Waits until everything is written, at most `deadline` ms. */
  flush(deadline: number): Promise<'flushed' | 'left'>;
  /** Lines that were dropped since the start. */
  dropped(): number;
}

/** Bytes that wait for a slow reader; more are dropped and counted. */
const waiting = 1024 * 1024;
const slice = 64 * 1024;
const pause = 20;

/**
 * Standard error (or another descriptor) without ever blocking the event loop. `process.stderr` blocks the whole process on a full pipe:
 * a log collector that hangs would stop the operator. What is dropped is said in the log itself as soon as somebody reads again.
 */
export function openLineWriter(options: {
  readonly fd?: number;
  readonly note: (dropped: number) => string;
  readonly bound?: number;
}): LineWriter {
  const fd = nonBlocking(options.fd ?? 2);
  const bound = options.bound ?? waiting;
  const queue: Buffer[] = [];
  const waiters = new Set<() => void>();
  let queued = 0;
  let busy = false;
  let closed = false;
  let dropped = 0;
  let told = 0;

  function pump(): void {
    if (busy) return;
    if (dropped > told && queued < bound / 2) {
      const note = Buffer.from(options.note(dropped - told));
      told = dropped;
      queue.push(note);
      queued += note.length;
    }
    const chunk = take();
    if (chunk) {
      busy = true;
      send(chunk);
    } else for (const done of waiters) done();
  }

  function take(): Buffer | undefined {
    let [count, bytes] = [0, 0];
    for (const line of queue) {
      if (count > 0 && bytes + line.length > slice) break;
      count += 1;
      bytes += line.length;
    }
    return count === 0 ? undefined : Buffer.concat(queue.splice(0, count), bytes);
  }

  function send(chunk: Buffer): void {
    write(fd, chunk, 0, chunk.length, null, (error, written) => {
      // The timer does not keep the process alive: whoever ends it flushes with a deadline.
      if (error?.code === 'EAGAIN') return void setTimeout(send, pause, chunk).unref();
      if (error) return give();
      queued -= written;
      if (written < chunk.length) return send(chunk.subarray(written));
      busy = false;
      pump();
    });
  }

  /** Nobody reads any more (EPIPE): the process goes on without a log. */
  function give(): void {
    closed = true;
    queue.length = 0;
    queued = 0;
    for (const done of waiters) done();
  }

  return {
    write(line) {
      const bytes = Buffer.from(line);
      if (closed || queued + bytes.length > bound) {
        dropped += 1;
        return;
      }
      queue.push(bytes);
      queued += bytes.length;
      pump();
    },
    flush(deadline) {
      if (queued === 0) return Promise.resolve('flushed');
      return new Promise((resolve) => {
        const finish = (how: 'flushed' | 'left') => {
          clearTimeout(timer);
          waiters.delete(done);
          resolve(how);
        };
        const done = () => finish(closed ? 'left' : 'flushed');
        const timer = setTimeout(finish, deadline, 'left');
        waiters.add(done);
      });
    },
    dropped: () => dropped,
  };
}

/**
 * A descriptor of our own for a pipe, so that O_NONBLOCK is not set for everybody who shares it. Without it the write blocks a thread of the
 * pool, and the process can't even exit, because exiting joins that thread. Other kinds of files are written as they are.
 */
function nonBlocking(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd; // no /proc (macOS), or the pipe belongs to another user
  }
}
