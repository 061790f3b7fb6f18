export interface CurlLine {
  readonly line: string;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The answer that stands below it: what is expected. */
  readonly expected?: { readonly status: number; readonly body: unknown };
}

/** The `curl` lines of a page in Markdown, each with the JSON block that follows its own block. Throws for an option it doesn't know. */
export function curlLines(markdown: string): readonly CurlLine[] {
  const found: CurlLine[] = [];
  for (const [, language = '', status, text = ''] of markdown.matchAll(/^```(sh|json)(?: (\d{3}))?\n([\s\S]*?)^```$/gm)) {
    if (language === 'sh')
      found.push(
        ...text
          .replaceAll('\\\n', ' ')
          .split('\n')
          .filter((line) => line.startsWith('curl '))
          .map(curlLine),
      );
    else {
      const last = found.pop();
      if (!last || status === undefined) throw new Error(`an answer without its curl line or status: ${text}`);
      found.push({ ...last, expected: { status: Number(status), body: JSON.parse(text) } });
    }
  }
  return found;
}

function curlLine(line: string): CurlLine {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain).slice(1);
  const headers: Record<string, string> = {};
  let url = '';
  let method: string | undefined;
  let body: string | undefined;
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '-X') method = words.shift();
    else if (word === '-d') body = words.shift();
    else if (word === '-H') {
      const [name = '', value = ''] = (words.shift() ?? '').split(/: (.*)/s);
      headers[name] = value;
    } else if (word.startsWith('http://')) url = word;
    else if (word !== '-N' && word !== '-s') throw new Error(`curl option ${word} in: ${line}`);
  }
  return { line, url, headers, method: method ?? (body === undefined ? 'GET' : 'POST'), ...(body === undefined ? {} : { body }) };
}
