import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog, type LogOptions } from './index.ts';

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const time = '2026-01-02T03:04:05.678Z';

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    filter: [],
    stream: { write: (line) => lines.push(line) },
    secrets: () => [],
    clock: { now: () => now },
    ...options,
  });
  return { log, lines };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('lines', () => {
  it('say when, how bad, who, what, and the data as JSON', () => {
    const { log, lines } = logged();
    log.component('pipeline').warn('100% late', { command: 'q7Kd', ms: 12 });
    log.info('ready');
    expect(lines).toEqual([`${time} WARN  pipeline 100% late {"command":"q7Kd","ms":12}\n`, `${time} INFO  core ready\n`]);
  });

  it('print errors with their causes, and whatever else came', () => {
    const { log, lines } = logged();
    const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), { code: 'E1' });
    const loop: Record<string, unknown> = { big: 1n, when: new Date(0), bytes: Buffer.from('abc'), map: new Map([['a', new Set([1])]]) };
    loop.self = loop;
    const thrown = {
      get broken() {
        throw new RangeError('no');
      },
    };
    log.error('failed', { error });
    log.error('odd', { loop, thrown });
    expect(lines[0]).toContain('"error":{"name":"TypeError","message":"outer","stack":"TypeError: outer\\n    at ');
    expect(lines[0]).toContain('"cause":{"name":"Error","message":"inner"');
    expect(lines[0]).toContain('"code":"E1"');
    expect(lines[1]).toContain('"big":"1","when":"1970-01-01T00:00:00.000Z","bytes":"[3 bytes]","map":{"a":[1]},"self":"[circular]"}');
    expect(lines[1]).toContain('"thrown":"[unreadable: RangeError]"');
  });

  it('are cut where data is long, wide or deep', () => {
    const { log, lines } = logged();
    let deep: unknown = 'bottom';
    for (let level = 0; level < 20; level += 1) deep = { deep };
    log.info('much', { text: 'x'.repeat(5000), list: Array.from({ length: 101 }, () => 0), deep });
    expect(lines[0]).toContain(`${'x'.repeat(4096)}...[truncated]"`);
    expect(lines[0]).toContain('0,"[1 more]"]');
    expect(lines[0]).toContain('"[deeper]"');
    expect(lines[0]).not.toContain('bottom');
  });

  it('stay one line and do not drive the terminal, whatever the text holds', () => {
    const { log, lines } = logged();
    log.info('one\ntwo\u001b[2J\u009b31m\u2028', { text: 'a\u001bb\u0085' });
    expect(lines).toEqual([`${time} INFO  core one\\ntwo\\u001b[2J\\u009b31m\\u2028 {"text":"a\\u001bb\\u0085"}\n`]);
  });

  it('show stacks on lines of their own on a terminal', () => {
    const { log, lines } = logged({ coloured: true });
    const error = new Error('bad');
    error.stack = 'Error: bad\n    at here';
    log.error('failed', { error });
    expect(lines[0]?.split('\n')[1]).toContain('    Error: bad');
    expect(lines[0]?.split('\n')[0]).not.toContain('at here');
  });
});

describe('levels and components', () => {
  it.each([
    ['debug', ['DEBUG', 'INFO', 'WARN', 'ERROR']],
    ['mo', ['INFO', 'WARN', 'ERROR']],
    ['info', ['INFO', 'WARN', 'ERROR']],
    ['warn', ['WARN', 'ERROR']],
    ['error', ['ERROR']],
  ] as const)('%s', (level, expected) => {
    const { log, lines } = logged({ level });
    for (const method of ['debug', 'info', 'warn', 'error'] as const) log[method](method);
    expect(lines.map((line) => line.split(' ')[1])).toEqual(expected);
  });

  it('are changed while it runs', () => {
    const { log, lines } = logged({ filter: ['helm'] });
    log.component('http').info('a');
    log.component('helm').info('b');
    log.configure({ filter: [], level: 'debug' });
    log.component('http').debug('c');
    expect(lines.map((line) => line.trim().slice(-1))).toEqual(['b', 'c']);
  });
});

describe('repeats', () => {
  it('are counted within a second', () => {
    const { log, lines } = logged();
    for (let times = 0; times < 4; times += 1) log.error('lost', { try: 'same' });
    log.error('lost', { try: 'other' });
    vi.advanceTimersByTime(1000);
    log.error('lost', { try: 'same' });
    expect(lines).toEqual([
      `${time} ERROR core lost {"try":"same"}\n`,
      `${time} ERROR core lost {"try":"other"}\n`,
      `(3x)${time} ERROR core lost {"try":"same"}\n`,
      `${time} ERROR core lost {"try":"same"}\n`,
    ]);
  });

  it('are printed when the log is closed', () => {
    const { log, lines } = logged();
    for (let times = 0; times < 2; times += 1) log.info('again');
    log.close();
    expect(lines).toHaveLength(2);
  });
});

describe('secrets', () => {
  const secret = 'cana"ry/päss\nword';

  it('are erased in message, data, keys, errors, stacks and causes, in every form', () => {
    const { log, lines } = logged({ secrets: () => [secret], level: 'debug' });
    log.info(`message ${secret}`, {
      plain: secret,
      nested: [{ header: `Bearer ${secret}` }],
      [secret]: 'as a key',
      error: new Error(`refused ${secret}`, { cause: new Error(secret) }),
      json: JSON.stringify({ body: JSON.stringify({ secret }) }),
      url: new URL(`http://host/?q=${encodeURIComponent(secret)}`),
      manifest: Buffer.from(secret).toString('base64'),
      map: new Map([[secret, secret]]),
    });
    log.component(secret).debug('x');
    const printed = lines.join('');
    for (const part of ['cana', 'ry/', 'word', encodeURIComponent('ry/p'), Buffer.from(secret).toString('base64').slice(0, 8)])
      expect(printed).not.toContain(part);
    expect(printed).toContain('"header":"Bearer ***[REDACTED]***"');
  });

  it('are erased before a text is cut', () => {
    const { log, lines } = logged({ secrets: () => ['canary-secret'] });
    log.info('long', { text: `${'x'.repeat(4090)}canary-secret` });
    expect(lines[0]).not.toContain('canary');
  });

  it('stay erased after they were replaced', () => {
    let secrets = ['canary-old', 'canary-old-and-longer'];
    const { log, lines } = logged({ secrets: () => secrets });
    log.info('canary-old-and-longer');
    secrets = ['canary-new'];
    log.info('canary-new');
    log.info('late canary-old');
    expect(lines.join('')).not.toContain('canary');
    expect(lines[0]).toBe(`${time} INFO  core ***[REDACTED]***\n`);
  });

  it('of less than six characters leave the log readable', () => {
    const { log, lines } = logged({ secrets: () => ['a', '12345', ''] });
    log.info('a banana 12345');
    expect(lines[0]).toBe(`${time} INFO  core a banana 12345\n`);
  });
});
