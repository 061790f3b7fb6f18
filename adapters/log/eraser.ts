import { redacted } from '../../domain/configuration/index.ts';

/** Shorter secrets are not erased: hiding every "a" or "1234" would make the log unreadable and protect nothing. */
const shortest = 6;
/** Secrets that are remembered after they were replaced. */
const remembered = 512;

/** Replaces every secret in a text, in each form it can stand there: as it is, JSON-escaped, percent-encoded, base64. */
export type Eraser = (text: string) => string;

/** `secrets` is asked at every line; it should answer the same array until something changed. Former secrets stay erased. */
export function createEraser(secrets: () => readonly string[]): Eraser {
  let last: readonly string[] | undefined;
  let known: readonly string[] = [];
  let pattern: RegExp | undefined;

  return (text) => {
    const now = secrets();
    if (now !== last) {
      last = now;
      known = [...new Set([...now.filter((secret) => secret.length >= shortest), ...known])].slice(0, remembered);
      pattern = alternation(known);
    }
    return pattern ? text.replace(pattern, redacted) : text;
  };
}

function alternation(secrets: readonly string[]): RegExp | undefined {
  const forms = [...new Set(secrets.flatMap(formsOf))];
  if (forms.length === 0) return undefined;
  // Longest first: a short secret must not cut a longer one in pieces that then stay.
  const sources = forms.sort((a, b) => b.length - a.length).map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(sources.join('|'), 'g');
}

function formsOf(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    escaped,
    JSON.stringify(escaped).slice(1, -1), // JSON within JSON: a datagram in an error text
    encodeURIComponent(secret.toWellFormed()),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''), // Secret objects; without padding it also matches the start of a longer one
  ];
}
