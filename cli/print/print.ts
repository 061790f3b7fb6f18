import { coloured, type Io } from '../frame/index.ts';
import { type Column, table } from './table.ts';

export const formats = ['table', 'json', 'yaml'] as const;
export type Format = (typeof formats)[number];

/** A value as JSON or YAML, ending with a line end. */
export async function structured(value: unknown, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0 });
}

/** Rows on standard output: as they came for programs, as a table for people. */
export async function printRows<Row>(
  io: Io,
  format: Format,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
): Promise<void> {
  if (format !== 'table') return io.out.write(await structured(rows, format));
  // An empty table looks like a broken one. The sentence is not data, so it doesn't go where a pipe reads.
  if (rows.length === 0) return io.err.write(`${empty}\n`);
  io.out.write(table(rows, columns, { width: io.out.columns, coloured: coloured(io, io.out) }));
}

/** One thing: YAML is what people read best when it has depth. */
export async function printOne(io: Io, format: Format, value: unknown): Promise<void> {
  io.out.write(await structured(value, format === 'table' ? 'yaml' : format));
}
