/** How long equal lines are counted instead of printed, ms. */
const window = 1000;
/** Different lines that are remembered in one window; further ones are printed at once. */
const remembered = 1000;

type Line = (time: number) => string;

/** Prints a line once per second and then how often it came again: a failure in a tight loop must not bury everything else. */
export function createRepeats(stream: { write(line: string): void }) {
  const seen = new Map<string, { again: number; readonly line: Line; last: number }>();
  let timer: NodeJS.Timeout | undefined;

  function endWindow(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { again, line, last } of seen.values()) if (again > 0) stream.write(`(${again}x)${line(last)}\n`);
    seen.clear();
  }

  return {
    /** `same` is the line without its time. */
    line(line: Line, same: string, now: number): void {
      const known = seen.get(same);
      if (known) {
        known.again += 1;
        known.last = now;
        return;
      }
      if (seen.size < remembered) seen.set(same, { again: 0, line, last: now });
      timer ??= setTimeout(endWindow, window).unref();
      stream.write(`${line(now)}\n`);
    },
    close: endWindow,
  };
}
