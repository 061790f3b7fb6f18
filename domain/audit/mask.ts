import { mark } from './words.ts';

const shortest = 4;

/** The text without the values of secret settings. The longest go first: a shorter one may be a part of it. */
export function maskIn(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    if (secret.length < shortest) break;
    if (masked.includes(secret)) masked = masked.replaceAll(secret, mark);
  }
  return masked;
}
