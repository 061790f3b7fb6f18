/** One record as the printed line needs it; erased and plain already. */
export interface Record {
  /** Epoch ms. */
  readonly time: number;
  readonly level: string;
  readonly component: string;
  readonly message: string;
  readonly data?: unknown;
}

const colours: Readonly<{ [level: string]: string }> = { debug: '36', info: '32', warn: '33', error: '31' };
const paint = (code: string | undefined, text: string) => (code === undefined ? text : `\u001b[${code}m${text}\u001b[0m`);

/** `2026-01-02T03:04:05.678Z INFO  component message {"data":1}`, without a line end. Always one line; with colours, stacks follow indented. */
export function format(record: Record, coloured: boolean): string {
  const time = new Date(record.time).toISOString();
  const level = record.level.toUpperCase().padEnd(5);
  const message = printable(record.message);
  if (!coloured) return [time, level, record.component, message, json(record.data)].filter((part) => part !== '').join(' ');
  const { data, stacks } = withoutStacks(record.data);
  const head = [paint('2', time), paint(colours[record.level], level), paint('35', record.component), message, paint('2', json(data))];
  return [
    head.join(' ').trimEnd(),
    ...stacks.flatMap((stack) => stack.split('\n').map((line) => paint('2', `    ${printable(line)}`))),
  ].join('\n');
}

function json(data: unknown): string {
  if (data === undefined || (typeof data === 'object' && data !== null && Object.keys(data).length === 0)) return '';
  return printable(JSON.stringify(data) ?? '');
}

/** Control characters as escapes: text from outside must not start a line of its own or drive the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (sign) => {
    const short = JSON.stringify(sign).slice(1, -1);
    return short === sign ? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}` : short;
  });
}

function withoutStacks(data: unknown): { data: unknown; stacks: readonly string[] } {
  const stacks: string[] = [];
  const rest = strip(data);
  return { data: rest, stacks };

  function strip(item: unknown): unknown {
    if (Array.isArray(item)) return item.map(strip);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(
      Object.entries(item).flatMap(([key, field]) => {
        if (key !== 'stack' || typeof field !== 'string') return [[key, strip(field)]];
        stacks.push(field);
        return [];
      }),
    );
  }
}
