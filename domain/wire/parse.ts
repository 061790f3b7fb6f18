import { longerThan } from './bytes.ts';
import { type Datagram, datagramOf, type Envelope, envelope } from './datagram.ts';
import { readable } from './readable-id.ts';

export type Parsed =
  | { readonly outcome: 'datagram'; readonly datagram: Datagram }
  /** Not to be carried out, but its sender can be told: `text` is the message of an error with status 400. */
  | { readonly outcome: 'refused'; readonly id: string; readonly pattern: string; readonly text: string }
  /** Nobody could be told. */
  | {
      readonly outcome: 'unreadable';
      readonly reason: 'empty' | 'too-large' | 'not-json' | 'no-object' | 'invalid';
      readonly text: string;
    };

export interface ParseOptions {
  readonly maxBytes: number;
  /** Makes the id of a datagram that came without one. */
  readonly newId: () => string;
}

/** Reads one frame, text as it came. Never throws. */
export function parseDatagram(text: string, options: ParseOptions): Parsed {
  if (text === '') return { outcome: 'unreadable', reason: 'empty', text: 'the frame is empty' };
  if (longerThan(text, options.maxBytes))
    return { outcome: 'unreadable', reason: 'too-large', text: `the datagram is larger than ${options.maxBytes} bytes` };

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own sentence quotes the text, which may hold a secret.
    return refuse(readable(text), 'not-json', 'the datagram is no valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { outcome: 'unreadable', reason: 'no-object', text: 'the datagram is no JSON object' };
  return parseValue(value, options.newId);
}

/** The same for JSON that was decoded elsewhere, e.g. the body of a request. */
export function parseValue(value: unknown, newId: () => string): Parsed {
  const checked = envelope.safeParse(value);
  if (!checked.success) {
    const wrong = checked.error.issues.map((issue) => `Field '${issue.path.join('.')}' has the wrong type or length`);
    return refuse(named(value), 'invalid', `failed to decode datagram: ${wrong.join(' | ')}`);
  }
  const given: Envelope = checked.data;
  const { id, pattern } = given;
  const missing = [...(id === '' ? ['Id'] : []), ...(pattern ? [] : ['Pattern'])];
  if (missing.length > 0 || !pattern) return refuse(named(value), 'invalid', envelopeError(missing));
  return { outcome: 'datagram', datagram: datagramOf(id ?? newId(), pattern, given) };
}

/** Clients match on this text; its spelling is part of it. */
export function envelopeError(fields: readonly string[]): string {
  return `validaten failed for datagram: ${fields.map((field) => `Field '${field}' failed validation, Condition: required`).join(' | ')}`;
}

function refuse(known: { id?: string; pattern?: string }, reason: 'not-json' | 'invalid', text: string): Parsed {
  return known.id ? { outcome: 'refused', id: known.id, pattern: known.pattern ?? '', text } : { outcome: 'unreadable', reason, text };
}

function named(value: unknown): { id?: string; pattern?: string } {
  const id = envelope.shape.id.safeParse(own(value, 'id')).data;
  const pattern = envelope.shape.pattern.safeParse(own(value, 'pattern')).data;
  return { ...(id ? { id } : {}), ...(pattern ? { pattern } : {}) };
}

function own(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined;
}
