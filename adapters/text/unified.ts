import { diffArrays } from 'diff';

type Line = readonly [' ' | '-' | '+', string];

const context = 3;
/** Beyond so many changed lines a search for the smallest difference takes seconds: then all is shown as replaced. */
const mostEdits = 4_000;

/**
 * A unified diff. Each text counts as ending in one more, empty line: so a new object reads `@@ -1 +1,9 @@`, and its last line is one of
 * context, a single space. `,b` is left out when it is 1.
 */
export function unified(before: string, after: string, label: string): string {
  if (before === after) return '';
  const lines = compare(before.split('\n'), after.split('\n'));
  const hunks = hunksOf(lines);
  return `--- ${label}\n+++ ${label}\n${hunks.map((hunk) => print(lines, hunk)).join('')}`;
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const changes = diffArrays([...before], [...after], { maxEditLength: mostEdits });
  if (!changes)
    return [...before.slice(0, -1).map((line): Line => ['-', line]), ...after.slice(0, -1).map((line): Line => ['+', line]), [' ', '']];
  return ordered(changes.flatMap(({ value, added, removed }) => value.map((line): Line => [added ? '+' : removed ? '-' : ' ', line])));
}

/** Within a run of changes what went stands before what came. */
function ordered(lines: readonly Line[]): readonly Line[] {
  const result: Line[] = [];
  let came: Line[] = [];
  for (const line of lines) {
    if (line[0] === '+') came.push(line);
    else {
      if (line[0] === ' ') {
        result.push(...came);
        came = [];
      }
      result.push(line);
    }
  }
  return [...result, ...came];
}

interface Hunk {
  readonly start: number;
  readonly end: number;
}

function hunksOf(lines: readonly Line[]): readonly Hunk[] {
  const hunks: { start: number; end: number }[] = [];
  for (const [i, [sign]] of lines.entries()) {
    if (sign === ' ') continue;
    const last = hunks.at(-1);
    const [start, end] = [Math.max(0, i - context), Math.min(lines.length, i + 1 + context)];
    if (last && start <= last.end) last.end = end;
    else hunks.push({ start, end });
  }
  return hunks;
}

function print(lines: readonly Line[], { start, end }: Hunk): string {
  const before = lines.slice(0, start);
  const inside = lines.slice(start, end);
  const range = (other: '+' | '-'): string => {
    const first = before.filter(([sign]) => sign !== other).length + 1;
    const length = inside.filter(([sign]) => sign !== other).length;
    return length === 1 ? String(first) : `${length === 0 ? first - 1 : first},${length}`;
  };
  return `@@ -${range('+')} +${range('-')} @@\n${inside.map(([sign, line]) => `${sign}${line}\n`).join('')}`;
}
