import { createHash } from 'node:crypto';

export interface Chain {
  add(line: string): void;
  /** Hex. Ends the computation. */
  end(): string;
}

/** SHA-256 over the hash before it and every line with its line feed, as `Segment.hash` says. */
export function createChain(previous: string): Chain {
  const hash = createHash('sha256').update(previous);
  return {
    add: (line) => void hash.update(`${line}\n`),
    end: () => hash.digest('hex'),
  };
}
