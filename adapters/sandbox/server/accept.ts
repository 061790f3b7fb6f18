import { partial, table } from '../api/table.ts';
import { asObject, type JsonObject, without } from '../model/json.ts';
import { apiVersionOf, type Kind } from '../model/kind.ts';
import { Refusal } from '../model/status.ts';
import { print, type Stored } from '../store/stored.ts';

/** In which form the reader wants objects. */
export type Form = 'whole' | 'partial' | 'table';

export interface Accepted {
  readonly form: Form;
  /** Aggregated discovery is wanted. */
  readonly aggregated: boolean;
}

const available =
  'application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

/** The first offer of the Accept header that can be met. */
export function accepted(header: string | undefined): Accepted {
  for (const offer of (header ?? '*/*').split(',')) {
    const [type = '', ...pairs] = offer.split(';').map((part) => part.trim());
    const given = new Map(pairs.map((pair) => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? '']));
    if (!['application/json', '*/*', 'application/*', ''].includes(type)) continue;
    const as = given.get('as');
    if (as === 'APIGroupDiscoveryList') {
      if (given.get('v') === 'v2') return { form: 'whole', aggregated: true };
      continue;
    }
    if (as === undefined) return { form: 'whole', aggregated: false };
    if (as === 'Table') return { form: 'table', aggregated: false };
    if (as.startsWith('PartialObjectMetadata')) return { form: 'partial', aggregated: false };
  }
  throw new Refusal(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${available}`, {});
}

export interface Show {
  readonly kind: Kind;
  readonly form: Form;
  readonly now: number;
  /** What a table carries beside its cells: None, Metadata or Object. */
  readonly include: string;
}

export function showOne({ kind, form, now, include }: Show, object: Stored): string {
  if (form === 'whole') return print(object);
  if (form === 'partial') return JSON.stringify(partial(object));
  return JSON.stringify(table(kind, [object], { resourceVersion: object.metadata.resourceVersion }, now, include));
}

const items = new WeakMap<object, string>();
/** An item of a list of a built-in kind says neither its kind nor its version: the list does. */
function item(kind: Kind, object: Stored): string {
  if (kind.custom) return print(object);
  let text = items.get(object);
  if (text === undefined) {
    text = JSON.stringify(without(object, 'kind', 'apiVersion'));
    items.set(object, text);
  }
  return text;
}

export function showMany({ kind, form, now, include }: Show, objects: readonly Stored[], metadata: JsonObject): string {
  if (form === 'table') return JSON.stringify(table(kind, objects, metadata, now, include));
  if (form === 'partial') {
    return JSON.stringify({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: objects.map((each) => partial(asObject(each))),
    });
  }
  const head = JSON.stringify({ kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata }).slice(0, -1);
  return `${head},"items":[${objects.map((each) => item(kind, each)).join(',')}]}`;
}
