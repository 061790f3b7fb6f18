import { describe } from 'vitest';
import type { Archive } from '../../../domain/ports/index.ts';
import { reading } from './reading.ts';
import { verifying } from './verifying.ts';
import { writing } from './writing.ts';

/** Opens an empty archive of the cluster `test`; `again` opens the same one as another process would. */
export type OpenArchive = () => Promise<{ readonly archive: Archive; again(): Promise<Archive> }>;

/** What every archive does, wherever it keeps its segments. To be called in a describe block of its own. */
export function archiveContract(open: OpenArchive): void {
  describe('writing', () => writing(open));
  describe('reading', () => reading(open));
  describe('verifying', () => verifying(open));
}
