import type { Archive } from '../../domain/ports/index.ts';

/** Where events are read that were trimmed from the log. It may hold later ones too; the store takes what it lacks. */
export type ArchiveReader = Pick<Archive, 'log' | 'read' | 'find'>;
