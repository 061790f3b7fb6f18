import type { ObjectText } from '../ports/index.ts';
import { maskIn } from './mask.ts';
import { isSecret, redactSecret } from './secret.ts';
import { digested, isSecretKey, isSecretValueKey, mark, mayHoldPassword, mayHoldSecret, unreadable } from './words.ts';

export interface RedactOptions {
  /** Hex digest of a secret value. Keyed, or a guess at a short one could be proved. */
  readonly digest: (text: string) => string;
  readonly text: ObjectText;
  /** Values of secret settings. They are hidden wherever they stand; shorter than 4 characters they would hide half of everything. */
  readonly secrets: readonly string[];
  /** Shows digests in place of secret fields, so that a change of them is seen. */
  readonly digests?: boolean;
}

/** Deeper than any request or object; what lies below is left out, because nobody looked at it. */
const deepest = 100;

/** A copy without secrets; the same value again when it has none. The input is never changed. */
export function redact(value: unknown, options: RedactOptions): unknown {
  return walk(value, options, { depth: 0, inValues: false });
}

interface Place {
  readonly depth: number;
  /** Below `values` of a chart. */
  readonly inValues: boolean;
}

function walk(value: unknown, options: RedactOptions, place: Place): unknown {
  if (typeof value === 'string') return redactText(value, options, place);
  if (typeof value !== 'object' || value === null) return value;
  if (place.depth >= deepest) return mark;
  const below = { ...place, depth: place.depth + 1 };
  if (Array.isArray(value)) return same(value, (one) => walk(one, options, below));
  if (!isRecord(value)) return value;
  const record = isSecret(value) ? redactSecret(value, options.digest) : value;
  let changed: Record<string, unknown> | undefined = record === value ? undefined : { ...record };
  for (const [key, inner] of Object.entries(record)) {
    const name = maskIn(key, options.secrets);
    const next = field(key, inner, options, below);
    if (next === inner && name === key) continue;
    changed ??= { ...record };
    if (name !== key) delete changed[key];
    changed[name] = next;
  }
  return changed ?? value;
}

function field(key: string, value: unknown, options: RedactOptions, place: Place): unknown {
  const secret = isSecretKey(key) || (place.inValues && isSecretValueKey(key));
  // A password may look like a number to whoever reads the YAML.
  if (secret && typeof value === 'number') return options.digests ? digested(options.digest(String(value))) : mark;
  if (secret && typeof value === 'string') {
    if (value === '' || value.startsWith('***[REDACTED')) return value;
    return options.digests ? digested(options.digest(value)) : mark;
  }
  if (key.toLowerCase() === 'values') return walk(value, options, { ...place, inValues: true });
  return walk(value, options, place);
}

function redactText(text: string, options: RedactOptions, place: Place): string {
  return maskIn(redactManifest(text, options, place), options.secrets);
}

/** A text may be a manifest, or the values of a chart: then its secrets are found by reading it. */
function redactManifest(text: string, options: RedactOptions, place: Place): string {
  const suspicious = mayHoldSecret(text) || (mayHoldPassword(text) && /[\n{]/.test(text)) || (place.inValues && mayHoldPassword(text));
  if (!suspicious) return text;
  // A text that is no structure holds no fields: a sentence about passwords stays as it is.
  const changed = options.text.rewrite(text, (document) =>
    typeof document === 'object' && document !== null ? walk(document, options, { ...place, depth: place.depth + 1 }) : document,
  );
  return changed ?? unreadable;
}

function same(list: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] {
  const changed = list.map(change);
  return changed.some((one, i) => one !== list[i]) ? changed : list;
}

const isRecord = (value: object): value is Readonly<Record<string, unknown>> => !Array.isArray(value);
