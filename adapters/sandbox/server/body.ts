import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { badRequest, Refusal } from '../model/status.ts';

const json = z.json();
const unknownFormat = (types: string): Refusal =>
  new Refusal(415, 'UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: ${types}`);

/** The body of a create or replace. */
export function readObject(kind: Kind, text: string, contentType: string): Json {
  const type = mediaType(contentType);
  if (type === 'application/yaml') return readYaml(text, kind);
  if (type !== '' && type !== 'application/json')
    throw unknownFormat('application/json, application/yaml, application/vnd.kubernetes.protobuf');
  return readJson(
    text,
    (why) =>
      `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error: ${why} (${shown(text)})`,
  );
}

export function readPatch(text: string): Json {
  return readJson(text, (why) => `error decoding patch: ${why}`);
}

export const mediaType = (header: string): string => (header.split(';')[0] ?? '').trim().toLowerCase();

export const patchTypes = (kind: Kind): readonly string[] => [
  'application/json-patch+json',
  'application/merge-patch+json',
  ...(kind.custom ? [] : ['application/strategic-merge-patch+json']),
  'application/apply-patch+yaml',
];

export const unknownPatch = (kind: Kind): Refusal => unknownFormat(patchTypes(kind).join(', '));

/** Key names that would reach behind a plain object are refused: no Kubernetes object has them. */
function safe(text: string): void {
  if (text.includes('"__proto__"')) throw badRequest('the key "__proto__" is not allowed');
}

function readJson(text: string, say: (why: string) => string): Json {
  safe(text);
  try {
    const parsed: Json = JSON.parse(text);
    return parsed;
  } catch {
    throw badRequest(say(complaint(text)));
  }
}

/** YAML is read by a library that also knows dates and the like: only what JSON can say passes. */
export function readYaml(text: string, kind: Kind): Json {
  if (text.trimStart().startsWith('{')) return readJson(text, (why) => `error decoding YAML: error converting YAML to JSON: ${why}`);
  try {
    return json.parse(parseYaml(text, { maxAliasCount: 100 }));
  } catch (error) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): ${error instanceof Error ? error.message : 'no YAML'}`,
    );
  }
}

const shown = (text: string): string => (text === '' ? '<empty>' : text.slice(0, 1_024));

/** Why a text is no JSON, in the words of the server's reader where they are simple. */
function complaint(text: string): string {
  if (text.trim() === '') return 'unexpected end of JSON input';
  const after = /^\s*\{\s*([^\s"}])/.exec(text);
  if (after) return `invalid character '${after[1]}' looking for beginning of object key string`;
  const first = text.trimStart()[0] ?? '';
  if (!/[[{"\d\-tfn]/.test(first)) return `invalid character '${first}' looking for beginning of value`;
  return 'unexpected end of JSON input';
}
