import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { refuse, sse } from './double.ts';
import { event, operator } from './operator.ts';
import { cli, emptyFolder } from './terminal.ts';

describe('events', () => {
  it('tail takes a broken stream up behind the last event, and ends after its count', async () => {
    let connections = 0;
    const { run, seen } = await operator({
      'GET /api/v1/events/stream': (_: unknown, response: ServerResponse) => {
        connections += 1;
        if (connections === 1) {
          sse(response, { id: '1-0', data: event('1-0') }, { id: '2-0', data: event('2-0') });
          response.write('id: 2-5\n\n');
          response.write('data: {"half');
          setImmediate(() => response.destroy());
        } else sse(response, { id: '3-0', data: event('3-0') });
      },
    });
    const { code, out, err } = await run('events', 'tail', '-n', '3', '-o', 'json', '--after', '0-0', '--type', 'CommandAccepted');
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).position),
    ).toEqual(['1-0', '2-0', '3-0']);
    expect(seen.map(({ headers, query }) => [headers['last-event-id'], query.after, query.type])).toEqual([
      [undefined, '0-0', 'CommandAccepted'],
      ['2-5', undefined, 'CommandAccepted'],
    ]);
    expect(err).toContain('connecting again');
  });

  it('tail prints a line for people', async () => {
    const { run } = await operator({
      'GET /api/v1/events/stream': (_: unknown, response: ServerResponse) => sse(response, { data: event('1-0') }),
    });
    expect((await run('events', 'tail', '-n', '1')).out).toBe(
      '1-0  2026-01-02T03:04:05.678Z  CommandAccepted  command/c1  by ann@example.com\n',
    );
  });

  it('tail ends at Ctrl-C without an error', async () => {
    const stop = new AbortController();
    const { url } = await operator({
      'GET /api/v1/events/stream': (_: unknown, response: ServerResponse) => {
        sse(response);
        stop.abort();
      },
    });
    expect((await cli(['events', 'tail', '--server', url], { signal: stop.signal })).code).toBe(0);
  });

  it('tail gives up at once when it is refused', async () => {
    const { run } = await operator({
      'GET /api/v1/events/stream': (_: unknown, response: ServerResponse) =>
        refuse(response, 410, 'POSITION_TRIMMED', 'history begins at 9-0'),
    });
    const { code, err } = await run('events', 'tail', '--after', '1-0');
    expect(code).toBe(1);
    expect(err).toContain('history begins at 9-0');
  });

  it('tail says that events were lost, and why the operator ends a stream', async () => {
    const { run } = await operator({
      'GET /api/v1/events/stream': (_: unknown, response: ServerResponse) => {
        sse(
          response,
          { event: 'gap', data: { message: 'a failover lost the newest events' } },
          { event: 'end', data: { message: 'it is stopping' } },
          { data: event('1-0') },
        );
      },
    });
    expect((await run('events', 'tail', '-n', '1')).err).toBe('a failover lost the newest events\nit is stopping\n');
  });

  it('show prints the event at a position', async () => {
    const { run } = await operator({ 'GET /api/v1/events/7-2': event('7-2') });
    expect(JSON.parse((await run('events', 'show', '7-2', '-o', 'json')).out)).toEqual(event('7-2'));
    expect((await run('events', 'show', '7-0')).err).toContain('nothing is served at /api/v1/events/7-0 (NOT_FOUND)');
  });

  const pages = {
    'GET /api/v1/events': ({ query }: { query: Readonly<Record<string, string>> }, response: ServerResponse) => {
      const pages: Readonly<Record<string, object>> = {
        '0-0': { items: [event('1-0'), event('2-0')], next: '2-0', end: false },
        '2-0': { items: [], next: '2-9', end: false }, // nothing of it fitted the filter
        '2-9': { items: [event('3-0')], next: '3-0', end: true },
      };
      response.end(JSON.stringify(pages[query.after ?? '']));
    },
  };

  it('export writes every page, compressed when the name says so, and imports again', async () => {
    const batches: unknown[] = [];
    const { run, url } = await operator({
      ...pages,
      'POST /api/v1/events/import': ({ body }: { body: { events: unknown[] } }, response: ServerResponse) => {
        batches.push(body.events);
        response.end(JSON.stringify({ imported: body.events.length - 1, known: 1 }));
      },
    });
    const file = join(emptyFolder(), 'log.jsonl.gz');
    expect(await run('events', 'export', '-f', file)).toEqual({ code: 0, out: '', err: '3 events exported\n' });
    expect(
      gunzipSync(readFileSync(file))
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([event('1-0'), event('2-0'), event('3-0')]);
    expect(await cli(['events', 'import', file, '--server', url])).toEqual({
      code: 0,
      out: '',
      err: '2 events imported, 1 known already\n',
    });
    expect(batches).toEqual([[event('1-0'), event('2-0'), event('3-0')]]);
  });

  it('export to standard output', async () => {
    const { run } = await operator(pages);
    const { out, err } = await run('events', 'export', '-f', '-');
    expect(out.trim().split('\n')).toHaveLength(3);
    expect(err).toBe('3 events exported\n');
  });

  it('export leaves no half file behind', async () => {
    const { run } = await operator({
      'GET /api/v1/events': ({ query }: { query: Readonly<Record<string, string>> }, response: ServerResponse) =>
        query.after === '0-0'
          ? response.end(JSON.stringify({ items: [event('1-0')], next: '1-0', end: false }))
          : refuse(response, 503, 'STORE_UNAVAILABLE', 'away'),
    });
    const file = join(emptyFolder(), 'log.jsonl');
    expect((await run('events', 'export', '-f', file)).code).toBe(1);
    expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
  });

  it('export to a place that cannot be written asks for nothing', async () => {
    const { run, seen } = await operator(pages);
    expect((await run('events', 'export', '-f', join(emptyFolder(), 'none', 'x'))).err).toContain("can't be written: ENOENT");
    expect(seen).toEqual([]);
  });

  it('import names the line that is not JSON, and what was imported before', async () => {
    const { run } = await operator({});
    const file = join(emptyFolder(), 'log.jsonl');
    writeFileSync(file, `${JSON.stringify(event('1-0'))}\nnonsense\n`);
    const { code, err } = await run('events', 'import', file);
    expect(code).toBe(1);
    expect(err).toContain(`${file}, line 2: it is not JSON`);
    expect((await run('events', 'import', '/nowhere/at-all')).err).toContain("can't be read: ENOENT");
  });
});

describe('projections', () => {
  const view = { name: 'audit-log', kind: 'stored', version: 3, generation: 2, position: '9-0', lag: 0, state: 'running', skipped: 0 };

  it('are listed with where they stand', async () => {
    const { run } = await operator({ 'GET /api/v1/projections': { items: [{ ...view, state: 'rebuilding', progress: 0.345 }] } });
    expect((await run('projections')).out.split('\n')[1]).toBe('audit-log  stored  3.2      9-0       0    rebuilding 34%  0');
  });

  it('rebuild waits for the end of the work', async () => {
    const { run } = await operator({
      'POST /api/v1/projections/audit-log/rebuild': (_: unknown, response: ServerResponse) => {
        sse(response, { event: 'progress', data: { progress: 0.5 } }, { event: 'done', data: view });
        response.end();
      },
    });
    expect(await run('projections', 'rebuild', 'audit-log')).toEqual({ code: 0, out: '', err: 'audit-log is rebuilt and live at 9-0\n' });
  });

  it('rebuild fails when the stream tells an error or just ends', async () => {
    const { run } = await operator({
      'POST /api/v1/projections/a/rebuild': (_: unknown, response: ServerResponse) => {
        sse(response, { event: 'error', data: { code: 'X', message: 'the store is away' } });
        response.end();
      },
      'POST /api/v1/projections/b/rebuild': (_: unknown, response: ServerResponse) => {
        sse(response, { event: 'progress', data: { progress: 0.5 } });
        response.end();
      },
    });
    expect((await run('projections', 'rebuild', 'a')).err).toContain('rebuild of a failed: the store is away');
    expect((await run('projections', 'rebuild', 'b')).err).toContain('the connection ended before rebuild of b did');
  });

  it('verify exits 1 when the view differs from the log', async () => {
    const { run } = await operator({
      'POST /api/v1/projections/a/verify': { equal: true, rows: 12, differences: [] },
      'POST /api/v1/projections/b/verify': { equal: false, rows: 12, differences: ['row x'] },
    });
    expect(await run('projections', 'verify', 'a')).toEqual({ code: 0, out: '', err: 'a: 12 rows, equal to a rebuild from the log\n' });
    const differs = await run('projections', 'verify', 'b');
    expect(differs.code).toBe(1);
    expect(differs.out).toContain('row x');
    expect(differs.err).toContain('b differs from a rebuild from the log in 1 rows');
  });
});
