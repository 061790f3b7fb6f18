import { describe, expect, it } from 'vitest';
import { event, list, operator } from './operator.ts';
import { cli } from './terminal.ts';

describe('lists', () => {
  const command = {
    id: 'c1',
    pattern: 'create/workspace',
    aggregate: 'workspace/shop',
    phase: 'failed',
    since: '2026-01-02T03:04:05Z',
    error: { code: 'X', message: 'bad\u001b[31m\nnews' },
    position: '1-0',
  };

  it('are tables for people: aligned, one line a row, control characters taken out', async () => {
    const { run } = await operator({ 'GET /api/v1/commands': list(command) });
    const { out } = await run('commands');
    expect(out).toBe(
      [
        'SINCE                 ID  PATTERN           AGGREGATE       WHO  PHASE   ERROR',
        '2026-01-02T03:04:05Z  c1  create/workspace  workspace/shop  -    failed  bad news',
        '',
      ].join('\n'),
    );
  });

  it('are cut to the width of a terminal and coloured there, unless NO_COLOR is set', async () => {
    const { url } = await operator({ 'GET /api/v1/commands': list({ ...command, error: { code: 'X', message: 'y'.repeat(200) } }) });
    const shown = await cli(['commands', '--server', url], { columns: 100 });
    expect(shown.out).toContain('\u001b[31mfailed');
    expect(shown.out).toContain('yyyy…');
    const plain = await cli(['commands', '--server', url], { columns: 100, env: { NO_COLOR: '1' } });
    expect(plain.out).not.toContain('\u001b');
    for (const line of plain.out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('are whole for programs', async () => {
    const { run } = await operator({ 'GET /api/v1/commands': list(command) });
    expect(JSON.parse((await run('commands', '-o', 'json')).out)).toEqual([command]);
    expect((await run('commands', '-o', 'yaml')).out).toContain('- id: c1\n');
  });

  it('that are empty say so beside the data', async () => {
    const { run } = await operator({ 'GET /api/v1/parked': list() });
    expect(await run('parked')).toEqual({ code: 0, out: '', err: 'Nothing is parked.\n' });
    expect(await run('parked', '-o', 'json')).toEqual({ code: 0, out: '[]\n', err: '' });
  });

  it('pass their filters on', async () => {
    const { run, seen } = await operator({ 'GET /api/v1/commands': list(), 'GET /api/v1/audit-log': list() });
    await run('commands', 'list', '--phase', 'failed', '--limit', '5', '--offset', '10');
    await run('audit', '--workspace', 'shop', '--search', 'ann b', '--limit', '5');
    expect(seen.map(({ query }) => query)).toEqual([
      { limit: '5', offset: '10', phase: 'failed' },
      { limit: '5', offset: '0', workspace: 'shop', search: 'ann b' },
    ]);
  });
});

it('audit shows who did what, and how many more there are', async () => {
  const entry = {
    pattern: 'create/workspace',
    kind: 'Workspace',
    namespace: 'mogenius',
    name: 'shop',
    success: true,
    outcome: 'succeeded',
    createdAt: '2026-01-02T03:04:05Z',
    user: { email: 'ann@example.com' },
    chain: [],
  };
  const { run } = await operator({ 'GET /api/v1/audit-log': { items: [entry], total: 41 } });
  const { out, err } = await run('audit');
  expect(out.split('\n')[1]).toBe('2026-01-02T03:04:05Z  ann@example.com  create/workspace  Workspace mogenius/shop  succeeded');
  expect(err).toBe('40 more: --offset 1\n');
});

it('commands show prints the command and its chain', async () => {
  const { run } = await operator({
    'GET /api/v1/commands/a%2Fb': { id: 'a/b', pattern: 'p', aggregate: 'x/y', phase: 'succeeded', since: 's' },
    'GET /api/v1/commands/a%2Fb/chain': { items: [event('1-0')] },
  });
  const shown = JSON.parse((await run('commands', 'show', 'a/b', '-o', 'json')).out);
  expect(shown).toMatchObject({ command: { id: 'a/b' }, chain: [{ position: '1-0' }] });
});

it.each([
  ['retry', 'c1 waits in its queue again\n'],
  ['discard', 'c1 is discarded\n'],
])('parked %s', async (verb, said) => {
  const { run, seen } = await operator({ [`POST /api/v1/parked/c1/${verb}`]: { id: 'c1' } });
  expect(await run('parked', verb, 'c1')).toEqual({ code: 0, out: '', err: said });
  expect(seen).toHaveLength(1);
});
