import { digested, mark } from './words.ts';

const fields = ['data', 'stringData', 'binaryData'] as const;
/** Holds the whole object as it was applied, its secrets included. */
const applied = 'kubectl.kubernetes.io/last-applied-configuration';

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A Secret, or a list of them, whose items need not say what they are. */
export const isSecret = (value: object): boolean => isFields(value) && (value.kind === 'Secret' || value.kind === 'SecretList');

/** A copy of a Secret that shows which values changed and not what they are. */
export function redactSecret(value: object, digest: (text: string) => string): Fields {
  if (!isFields(value)) return {};
  if (value.kind === 'SecretList') {
    const { items } = value;
    return { ...value, items: Array.isArray(items) ? items.map((item) => (isFields(item) ? redactFields(item, digest) : mark)) : mark };
  }
  return redactFields(value, digest);
}

function redactFields(secret: Fields, digest: (text: string) => string): Fields {
  const changed: Record<string, unknown> = { ...secret };
  for (const field of fields) if (secret[field] !== undefined && secret[field] !== null) changed[field] = hide(secret[field], digest);
  const { metadata } = secret;
  if (isFields(metadata) && isFields(metadata.annotations) && metadata.annotations[applied] !== undefined) {
    changed.metadata = { ...metadata, annotations: { ...metadata.annotations, [applied]: hide(metadata.annotations[applied], digest) } };
  }
  return changed;
}

function hide(value: unknown, digest: (text: string) => string): unknown {
  if (isFields(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hide(inner, digest)]));
  if (typeof value !== 'string') return digested(digest(JSON.stringify(value) ?? ''));
  return value.startsWith('***[REDACTED') ? value : digested(digest(value));
}
