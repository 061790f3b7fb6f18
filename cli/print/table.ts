import { stripVTControlCharacters } from 'node:util';

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string;
  /** Takes the width that is left on a terminal and is cut there. At most one. */
  readonly fills?: boolean;
  readonly colour?: (row: Row) => Colour | undefined;
}

export type Colour = 'green' | 'yellow' | 'red' | 'dim' | 'bold';
const codes: Readonly<Record<Colour, number>> = { green: 32, yellow: 33, red: 31, dim: 2, bold: 1 };

export function paint(text: string, colour: Colour | undefined, on: boolean): string {
  return colour && on ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
}

/** Text of others on one line: names and messages must not drive the terminal. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\s*[\r\n\t]\s*/g, ' ')
    .replace(/\p{Cc}/gu, '');
}

/** Aligned columns under titles, ending with a line end. Without `width` nothing is cut. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  how: { readonly width: number | undefined; readonly coloured: boolean },
): string {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.of(row))));
  const widths = columns.map((column, at) => Math.max(column.title.length, ...cells.map((line) => (line[at] ?? '').length)));
  const filling = columns.findIndex((column) => column.fills);
  if (how.width !== undefined && filling >= 0) {
    const others = widths.reduce((sum, width, at) => (at === filling ? sum : sum + width + 2), 0);
    widths[filling] = Math.max(Math.min(widths[filling] ?? 0, how.width - others), 10);
  }
  const line = (texts: readonly string[], colour: (at: number) => Colour | undefined) =>
    texts
      .map((text, at) => {
        const width = widths[at] ?? 0;
        const shown = text.length > width ? `${text.slice(0, width - 1)}…` : text;
        return paint(at === columns.length - 1 ? shown : shown.padEnd(width), colour(at), how.coloured);
      })
      .join('  ')
      .trimEnd();
  const title = line(
    columns.map((column) => column.title),
    () => 'bold',
  );
  const body = rows.map((row, at) => line(cells[at] ?? [], (column) => columns[column]?.colour?.(row)));
  return `${[title, ...body].join('\n')}\n`;
}
