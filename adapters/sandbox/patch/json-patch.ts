import { z } from 'zod';
import { copy, isObject, type Json, type JsonObject, same } from '../model/json.ts';
import { badRequest, Refusal } from '../model/status.ts';

const value = z.json();
const operations = z.array(
  z.object({
    op: z.string(),
    path: z.string(),
    from: z.string().optional(),
    value: value.optional(),
  }),
);
type Operation = z.infer<typeof operations>[number];

/** The server says no more than this about an operation that can't be done. */
const refused = (): Refusal => new Refusal(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

/** JSON patch (RFC 6902) on a copy of the object. */
export function jsonPatch(object: JsonObject, patch: Json): Json {
  const parsed = operations.safeParse(patch);
  if (!parsed.success) {
    throw badRequest(
      isObject(patch)
        ? 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'
        : 'error decoding patch: json: cannot unmarshal into Go value of type []handlers.jsonPatchOp',
    );
  }
  if (parsed.data.length > 10_000) {
    throw new Refusal(413, 'RequestEntityTooLarge', `The allowed maximum operations in a JSON patch is 10000, got ${parsed.data.length}`);
  }
  const root: { doc: Json } = { doc: copy(object) };
  for (const operation of parsed.data) perform(root, operation);
  return root.doc;
}

const steps = (path: string): string[] => {
  if (path === '') return [];
  if (!path.startsWith('/')) throw refused();
  return path
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
};

function perform(root: { doc: Json }, operation: Operation): void {
  switch (operation.op) {
    case 'test':
      // A missing value equals null: the server's library takes it so.
      if (!same(find(root, operation.path) ?? null, operation.value ?? null)) throw refused();
      return;
    case 'add':
      put(root, operation.path, operation.value ?? null, true);
      return;
    case 'replace':
      // A key that is missing in a map is added: the server's library takes it so.
      put(root, operation.path, operation.value ?? null, false);
      return;
    case 'remove':
      take(root, operation.path);
      return;
    case 'move': {
      const moved = existing(root, operation.from);
      take(root, operation.from ?? '');
      put(root, operation.path, moved, true);
      return;
    }
    case 'copy':
      put(root, operation.path, copy(existing(root, operation.from)), true);
      return;
    default:
      throw refused();
  }
}

function existing(root: { doc: Json }, path: string | undefined): Json {
  const found = path === undefined ? undefined : find(root, path);
  if (found === undefined) throw refused();
  return found;
}

function find(root: { doc: Json }, path: string): Json | undefined {
  let at: Json | undefined = root.doc;
  for (const step of steps(path)) {
    if (Array.isArray(at)) at = /^\d+$/.test(step) ? at[Number(step)] : undefined;
    else at = isObject(at) ? at[step] : undefined;
  }
  return at;
}

function parentOf(root: { doc: Json }, path: string): { readonly parent: Json; readonly step: string } {
  const all = steps(path);
  const step = all.at(-1) ?? '';
  const above = all.slice(0, -1).map((each) => `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return { parent: existing(root, above.join('')), step };
}

function put(root: { doc: Json }, path: string, given: Json, insert: boolean): void {
  if (path === '') {
    root.doc = given;
    return;
  }
  const { parent, step } = parentOf(root, path);
  if (Array.isArray(parent)) {
    const at = step === '-' ? parent.length : Number(step);
    if (!Number.isInteger(at) || at < 0 || at > parent.length - (insert ? 0 : 1)) throw refused();
    parent.splice(at, insert ? 0 : 1, given);
  } else if (isObject(parent)) parent[step] = given;
  else throw refused();
}

function take(root: { doc: Json }, path: string): void {
  if (find(root, path) === undefined || path === '') throw refused();
  const { parent, step } = parentOf(root, path);
  if (Array.isArray(parent)) parent.splice(Number(step), 1);
  else if (isObject(parent)) delete parent[step];
}
