/** Why a `.env` file can't be read: where it is wrong, without the text, which may be a secret. */
export class DotenvInvalid extends Error {
  override readonly name = 'DotenvInvalid';
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`);
  }
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=[ \t]*(.*)$/s;

/**
 * Reads `KEY=value` lines: `export ` before the key, `#` comments, values in single or double quotes over several lines, `\n` and `\"` in
 * double quotes. Values are taken as they stand: `$NAME` is not replaced, because passwords hold dollar signs. Throws `DotenvInvalid`.
 */
export function parseDotenv(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (/^\s*(#.*)?$/.test(line)) continue;
    const [, key, first = ''] = assignment.exec(line) ?? [];
    if (key === undefined) throw new DotenvInvalid(index + 1, 'it is not of the form KEY=value');
    const quote = /^["']/.exec(first)?.[0];
    if (quote === undefined) {
      found[key] = first.replace(/(^|\s+)#.*$/, '').trim();
      continue;
    }
    const start = index;
    let rest = first.slice(1);
    let end = closing(rest, quote);
    while (end < 0) {
      index += 1;
      if (index >= lines.length) throw new DotenvInvalid(start + 1, `the quote ${quote} is never closed`);
      rest += `\n${lines[index] ?? ''}`;
      end = closing(rest, quote);
    }
    if (!/^\s*(#.*)?$/.test(rest.slice(end + 1))) throw new DotenvInvalid(index + 1, 'something stands behind the closing quote');
    found[key] = quote === '"' ? unescaped(rest.slice(0, end)) : rest.slice(0, end);
  }
  return found;
}

function closing(text: string, quote: string): number {
  if (quote === "'") return text.indexOf("'");
  return /^(?:[^"\\]|\\[\s\S])*(?=")/.exec(text)?.[0].length ?? -1;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, sign: string) => escapes[sign] ?? sign);
}
