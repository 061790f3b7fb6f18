import { origin, type Position } from '../../../domain/event/index.ts';
import { maxParts, type ViewId, type ViewWrite } from '../../../domain/ports/index.ts';
import { createSorted, type Sorted } from './sorted.ts';

interface Row {
  readonly parts: Map<string, string>;
  /** Family -> where it is filed. */
  readonly filed: Map<string, { readonly index: string; readonly score: number }>;
}

/** One build in memory. */
export interface Build {
  readonly view: ViewId;
  checkpoint: Position | string;
  /** When it ceased to be the live one, epoch ms. */
  retired?: number;
  readonly rows: Map<string, Row>;
  readonly indexes: Map<string, Sorted>;
}

export const createBuild = (view: ViewId): Build => ({ view, checkpoint: origin, rows: new Map(), indexes: new Map() });

/** What stands before the first colon. */
export const familyOf = (index: string): string => index.split(':', 1)[0] ?? index;

export function write(build: Build, writes: readonly ViewWrite[]): void {
  for (const one of writes) writeRow(build, one);
  const caps = new Map<string, number>();
  for (const one of writes) {
    if (one.op === 'cap') caps.set(one.index, one.keep);
    else if (one.op === 'expire') removeLowest(build, one.index, one.limit, one.below);
  }
  for (const [index, keep] of caps) removeLowest(build, index, (build.indexes.get(index)?.size ?? 0) - keep, Number.POSITIVE_INFINITY);
}

function writeRow(build: Build, one: ViewWrite): void {
  if (one.op === 'cap' || one.op === 'expire') return;
  if (one.op === 'remove') {
    removeRow(build, one.key);
    return;
  }
  const found = build.rows.get(one.key);
  if (!found && one.existing) return;
  const row: Row = found ?? { parts: new Map(), filed: new Map() };
  build.rows.set(one.key, row);
  if (one.op === 'put') {
    const there = row.parts.has(one.part);
    if (there && one.once) return;
    if (there || row.parts.size < maxParts) row.parts.set(one.part, one.value);
    else row.parts.set('more', '1');
  } else for (const [index, score] of Object.entries(one.indexes)) place(build, one.key, row, index, score);
}

function place(build: Build, key: string, row: Row, index: string, asked: number | 'same'): void {
  const family = familyOf(index);
  const old = row.filed.get(family);
  const score = asked === 'same' ? (old ?? row.filed.values().next().value)?.score : asked;
  if (score === undefined) return;
  if (old) unfile(build, key, old);
  row.filed.set(family, { index, score });
  const sorted = build.indexes.get(index) ?? createSorted();
  build.indexes.set(index, sorted);
  sorted.set(key, score);
}

function unfile(build: Build, key: string, { index, score }: { readonly index: string; readonly score: number }): void {
  const sorted = build.indexes.get(index);
  sorted?.delete(key, score);
  if (sorted?.size === 0) build.indexes.delete(index);
}

function removeRow(build: Build, key: string): void {
  const row = build.rows.get(key);
  if (!row) return;
  for (const filed of row.filed.values()) unfile(build, key, filed);
  build.rows.delete(key);
}

function removeLowest(build: Build, index: string, limit: number, below: number): void {
  const lowest = (build.indexes.get(index)?.entries() ?? []).slice(0, Math.max(0, limit)).filter(({ score }) => score < below);
  for (const { key } of lowest) removeRow(build, key);
}
