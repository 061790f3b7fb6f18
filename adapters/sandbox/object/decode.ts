import { asText, copy, isObject, type Json, type JsonObject } from '../model/json.ts';
import { apiVersionOf, type Kind } from '../model/kind.ts';
import { badRequest } from '../model/status.ts';
import { fill, prune } from '../schema/shape.ts';
import { cleanMetadata, goType } from './metadata.ts';

/** Refuses a body that is no object of the kind. Fills in apiVersion and kind where they are missing. */
export function decode(kind: Kind, body: Json): JsonObject {
  const apiVersion = apiVersionOf(kind);
  if (!isObject(body)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(body)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const given = { apiVersion: asText(body.apiVersion) || apiVersion, kind: asText(body.kind) || kind.kind };
  if (kind.custom) {
    if (given.kind !== kind.kind || !sameGroup(given.apiVersion, kind)) throw mismatch(kind, given);
    if (given.apiVersion !== apiVersion) {
      throw badRequest(`the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`);
    }
  } else if (given.apiVersion !== apiVersion || given.kind !== kind.kind) throw mismatch(kind, given);
  return { ...body, ...given };
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');
const sameGroup = (apiVersion: string, kind: Kind): boolean => groupOf(apiVersion) === kind.group;

function mismatch(kind: Kind, given: { readonly apiVersion: string; readonly kind: string }) {
  const version = given.apiVersion.split('/').at(-1) ?? '';
  const head = `${given.kind} in version "${version}" cannot be handled as a ${kind.kind}`;
  if (given.apiVersion === apiVersionOf(kind)) {
    return badRequest(
      `${head}: converting (${version}.${given.kind}) to (${kind.group === '' ? 'core' : kind.group.split('.')[0]}.${kind.kind}): unknown conversion`,
    );
  }
  return badRequest(
    `${head}: no kind "${given.kind}" is registered for version "${given.apiVersion}" in scheme "pkg/runtime/scheme.go:110"`,
  );
}

/** The object as the kind knows it: unknown fields are dropped, defaults of a schema filled in. Returns what was dropped. */
export function conform(
  kind: Kind,
  given: JsonObject,
): { readonly object: JsonObject & { metadata: JsonObject }; readonly dropped: readonly string[] } {
  const { apiVersion, kind: name, metadata, ...rest } = given;
  const head = { apiVersion, kind: name, metadata: cleanMetadata(kind, metadata) };
  if (kind.schema) {
    const body = copy(rest);
    const dropped = prune(body, kind.schema);
    fill(body, kind.schema);
    return { object: { ...head, ...body }, dropped };
  }
  const { fields } = kind;
  if (!fields) return { object: { ...head, ...rest }, dropped: [] };
  const known = Object.entries(rest).filter(([key, value]) => fields.includes(key) && value !== null);
  return {
    object: { ...head, ...Object.fromEntries(known) },
    dropped: Object.keys(rest).filter((key) => !fields.includes(key)),
  };
}
