import { maxParts, type ViewBatch, type ViewId, type ViewWrite } from '../../../domain/ports/index.ts';
import type { Argument } from '../wire.ts';
import { bundlePart } from './bundle.ts';

/** What a batch does to one row, in one place. */
interface RowWrites {
  readonly key: string;
  readonly kind: 'n' | 'e' | 'r';
  // Lists, not maps: a row has a handful of each, and there are many rows.
  readonly parts: { readonly name: string; value: string; once: boolean }[];
  readonly places: { readonly family: string; index: string; score: number | 'same' }[];
}

export const buildOf = ({ version, generation }: ViewId): string => `${version}.${generation}`;

/** The arguments of `view_apply`. Writes of one row are put together first: a replay would touch each row several times otherwise. */
export function encodeBatches(batches: readonly ViewBatch[]): readonly Argument[] {
  const all: Argument[] = [];
  for (const batch of batches) {
    const place = all.push(0) - 1;
    encodeBatch(batch, all);
    all[place] = all.length - place - 1;
  }
  return all;
}

function encodeBatch({ view, from, to, writes }: ViewBatch, out: Argument[]): void {
  const rows = gather(writes);
  out.push(view.name, buildOf(view), from, to, maxParts, rows.length);
  for (const { key, kind, parts, places } of rows) {
    out.push(key, kind);
    if (kind === 'r') continue;
    pushBundles(parts, out);
    out.push(places.length);
    for (const { index, score } of places) out.push(index, score);
  }
  encodeRemovals(writes, out);
}

function pushBundles(parts: RowWrites['parts'], out: Argument[]): void {
  let [names, bundle, onceNames, onceBundle] = ['', '', '', ''];
  for (const { name, value, once } of parts) {
    if (once) {
      onceNames += onceNames === '' ? name : `\u0001${name}`;
      onceBundle += bundlePart(name, value, true);
    } else {
      names += names === '' ? name : `\u0001${name}`;
      bundle += bundlePart(name, value, false);
    }
  }
  out.push(names, bundle, onceNames, onceBundle);
}

function gather(writes: readonly ViewWrite[]): readonly RowWrites[] {
  const rows: RowWrites[] = [];
  const newest = new Map<string, RowWrites>();
  const begin = (key: string, kind: RowWrites['kind']): RowWrites => {
    const row: RowWrites = { key, kind, parts: [], places: [] };
    rows.push(row);
    newest.set(key, row);
    return row;
  };
  for (const write of writes) {
    if (write.op === 'cap' || write.op === 'expire') continue;
    if (write.op === 'remove') {
      begin(write.key, 'r');
      continue;
    }
    const before = newest.get(write.key);
    const kind = write.existing ? 'e' : 'n';
    // Behind a plain write the row is there, so what asks for that may join it; not the other way round.
    const row = before && before.kind !== 'r' && (before.kind === 'n' || kind === 'e') ? before : begin(write.key, kind);
    if (write.op === 'put') {
      const part = row.parts.find(({ name }) => name === write.part);
      if (!part) row.parts.push({ name: write.part, value: write.value, once: write.once === true });
      else if (!write.once) {
        part.value = write.value;
        part.once = false;
      }
    } else for (const index of Object.keys(write.indexes)) file(row, index, write.indexes[index] ?? 'same');
  }
  return rows;
}

function file(row: RowWrites, index: string, score: number | 'same'): void {
  const colon = index.indexOf(':');
  const family = colon < 0 ? index : index.slice(0, colon);
  const before = row.places.find((one) => one.family === family);
  if (!before) row.places.push({ family, index, score });
  else {
    before.index = index;
    if (score !== 'same') before.score = score;
  }
}

function encodeRemovals(writes: readonly ViewWrite[], out: Argument[]): void {
  const caps = new Map<string, number>();
  const expiries = new Map<string, { below: number; limit: number }>();
  for (const write of writes) {
    if (write.op === 'cap') caps.set(write.index, write.keep);
    else if (write.op === 'expire') {
      const before = expiries.get(write.index);
      // Together they remove what they would one after the other: the lowest go first.
      if (before && write.below >= before.below) Object.assign(before, { below: write.below, limit: before.limit + write.limit });
      else if (!before) expiries.set(write.index, { below: write.below, limit: write.limit });
    }
  }
  out.push(expiries.size);
  for (const [index, { below, limit }] of expiries) out.push(index, below, limit);
  for (const [index, keep] of caps) out.push(index, keep);
}
