import { z } from 'zod';
import { asText } from '../model/json.ts';
import { type Kind, storeKeyOf } from '../model/kind.ts';
import { badRequest, forbiddenValue, invalid, Refusal, tooNew, unsupportedValue } from '../model/status.ts';
import { fieldSelector, labelSelector, type Selects } from '../object/selectors.ts';
import type { Stored } from '../store/stored.ts';
import { inVersion } from './objects.ts';
import type { World } from './world.ts';

export interface Listing {
  readonly items: readonly Stored[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

const token = z.object({ v: z.literal('meta.k8s.io/v1'), rv: z.number().int(), start: z.string() });

/** Both selectors of a list or watch as one test. */
export function selection(kind: Kind, query: URLSearchParams): { readonly selects: Selects; readonly all: boolean } {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  if (labels === '' && fields === '') return { selects: () => true, all: true };
  const byLabels = labelSelector(labels);
  const byFields = fieldSelector(kind, fields);
  return { selects: (object) => byLabels(object) && byFields(object), all: false };
}

export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function revisionOf(query: URLSearchParams): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}

const listOptions = { group: 'meta.k8s.io', kind: 'ListOptions' };

/** One page of a kind: as it is now, as it was at a revision, or from where the last page ended. */
export function list(world: World, kind: Kind, namespace: string, query: URLSearchParams): Listing {
  const { selects, all } = selection(kind, query);
  const { at, after, current } = position(world, query);
  const limit = query.get('resourceVersion') === '0' ? 0 : (wholeNumber(query, 'limit') ?? 0);
  const { keys, get } = world.store.at(storeKeyOf(kind), at);
  const within = namespace === '' ? keys : keys.filter((key) => key.startsWith(`${namespace}/`));
  const start = after === '' ? 0 : firstAfter(within, after);
  const items: Stored[] = [];
  let next = start;
  for (; next < within.length && (limit <= 0 || items.length < limit); next += 1) {
    const object = get(within[next] ?? '');
    if (object && selects(object)) items.push(inVersion(kind, object));
  }
  const resourceVersion = String(current ? world.store.revision : at);
  if (next >= within.length || (!all && !within.slice(next).some((key) => matches(get(key), selects)))) return { items, resourceVersion };
  return {
    items,
    resourceVersion,
    continue: tokenFor(Number(resourceVersion), within[next - 1] ?? ''),
    ...(all ? { remainingItemCount: within.length - next } : {}),
  };
}

const matches = (object: Stored | undefined, selects: Selects): boolean => object !== undefined && selects(object);

const tokenFor = (rv: number, last: string): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start: last })).toString('base64url');

function firstAfter(keys: readonly string[], after: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

function position(world: World, query: URLSearchParams): { readonly at: number; readonly after: string; readonly current: boolean } {
  const { store } = world;
  const text = query.get('continue') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const revision = revisionOf(query);
  refuseMatch(match, revision, text);
  if (text !== '') return continued(world, text, revision);
  if (revision === undefined || revision === 0) return { at: store.revision, after: '', current: true };
  if (revision > store.revision) throw tooNew(revision, store.revision);
  if (match !== 'Exact') return { at: store.revision, after: '', current: true };
  if (revision < store.compacted) throw new Refusal(410, 'Expired', 'The resourceVersion for the provided list is too old.');
  return { at: revision, after: '', current: false };
}

function refuseMatch(match: string, revision: number | undefined, text: string): void {
  if (match === '') return;
  const refuse = (why: string) => invalid(listOptions, '', [forbiddenValue('resourceVersionMatch', why)]);
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    throw invalid(listOptions, '', [unsupportedValue('resourceVersionMatch', JSON.stringify(match), ['Exact', 'NotOlderThan', ''])]);
  }
  if (text !== '') throw refuse('resourceVersionMatch is forbidden when continue is provided');
  if (revision === undefined) throw refuse('resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (match === 'Exact' && revision === 0) throw refuse('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
}

function continued(world: World, text: string, revision: number | undefined) {
  const parsed = token.safeParse(decoded(text));
  if (!parsed.success) throw badRequest(`invalid continue token: continue key is not valid: ${complaint(text)}`);
  if (revision !== undefined && revision !== 0) throw badRequest('specifying resource version is not allowed when using continue');
  const { rv, start } = parsed.data;
  if (rv < 0) return { at: world.store.revision, after: start, current: true };
  if (rv < world.store.compacted) {
    throw new Refusal(
      410,
      'Expired',
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
      undefined,
      { continue: tokenFor(-1, start) },
    );
  }
  return { at: rv, after: start, current: false };
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The complaint of the server's JSON reader about the first byte that is none of JSON. */
function complaint(text: string): string {
  const first = Buffer.from(text, 'base64url').toString('latin1')[0] ?? '';
  return first === '' ? 'unexpected end of JSON input' : `invalid character '${asText(first)}' looking for beginning of value`;
}
