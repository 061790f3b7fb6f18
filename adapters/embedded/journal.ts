import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { type Change, change } from './changes.ts';

const line = z.array(change);

export interface Journal {
  /** Writes all changes of one call as one line. Throws when the disk refuses: nothing counts as written then. */
  write(changes: readonly Change[]): void;
  /** Writes the file anew with these changes only. The old one stays until the new one is whole. */
  rewrite(changes: Iterable<Change>): void;
  close(): void;
}

/**
 * Opens the file and hands every change in it to `replay`. A last line that a crash cut in half is taken off:
 * its call was never answered, so nobody counts on it. A broken line elsewhere is an error, never skipped.
 */
export function openJournal(file: string, fsync: boolean, replay: (change: Change) => void): Journal {
  let descriptor = openSync(file, 'a+', 0o600);
  const text = readFileSync(file);
  let whole = 0;
  for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10, whole)) {
    for (const read of line.parse(JSON.parse(text.toString('utf8', whole, end)))) replay(read);
    whole = end + 1;
  }
  if (whole < text.length) ftruncateSync(descriptor, whole);
  let size = whole;

  return {
    write(changes) {
      const bytes = Buffer.from(`${JSON.stringify(changes)}\n`);
      try {
        for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
        if (fsync) fsyncSync(descriptor);
      } catch (error) {
        // A half line in the middle of the file would make every later line unreadable.
        ftruncateSync(descriptor, size);
        throw error;
      }
      size += bytes.length;
    },
    rewrite(changes) {
      const fresh = openSync(`${file}.new`, 'w', 0o600);
      size = 0;
      for (const one of changes) size += writeSync(fresh, `${JSON.stringify([one])}\n`);
      fsyncSync(fresh);
      closeSync(fresh);
      renameSync(`${file}.new`, file);
      closeSync(descriptor);
      descriptor = openSync(file, 'a+', 0o600);
    },
    close: () => closeSync(descriptor),
  };
}
