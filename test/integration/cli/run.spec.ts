import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refuse } from './double.ts';
import { operator } from './operator.ts';
import { cli, emptyFolder } from './terminal.ts';

describe('run', () => {
  const done = (body: object) => ({ 'POST /api/v1/commands': body });

  it('sends the payload of a YAML file under an id, and prints what came', async () => {
    const { run, seen } = await operator(
      done({ id: 'x', result: { status: 'success', message: 'Resource created successfully', data: '' } }),
    );
    const file = join(emptyFolder(), 'workspace.yaml');
    writeFileSync(file, 'name: shop\nresources:\n  - {id: shop, type: namespace}\n');
    const { code, out, err } = await run(
      'run',
      'create/workspace',
      '-f',
      file,
      '--id',
      'shop-1',
      '--email',
      'ann@example.com',
      '--workspace',
      'w',
    );
    expect([code, out, err]).toEqual([0, '', 'Resource created successfully (id shop-1)\n']);
    expect(seen[0]?.body).toEqual({
      id: 'shop-1',
      pattern: 'create/workspace',
      payload: { name: 'shop', resources: [{ id: 'shop', type: 'namespace' }] },
      workspace: 'w',
      user: { email: 'ann@example.com' },
    });
  });

  it('reads the payload of standard input, and makes an id of its own', async () => {
    const double = await operator(done({ id: 'x', result: { status: 'success', data: { name: 'shop' } } }));
    const { out } = await cli(['run', 'get/workspace', '-f', '-', '--server', double.url], { input: '{"name":"shop"}' });
    expect(out).toBe('name: shop\n');
    expect(double.seen[0]?.body).toMatchObject({ id: expect.stringMatching(/^cli-[0-9a-f-]{36}$/), payload: { name: 'shop' } });
  });

  it('fails with the sentence of a failed result', async () => {
    const { run } = await operator({
      'POST /api/v1/commands': (_: unknown, response: ServerResponse) => {
        response.writeHead(409, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            id: 'c1',
            error: { code: 'X', message: 'no', status: 409, remedy: '' },
            result: { status: 'error', message: 'workspaces.mogenius.com "shop" already exists', statusCode: 409, data: '' },
          }),
        );
      },
    });
    const { code, err } = await run('run', 'create/workspace', '--payload', '{"name":"shop"}', '--id', 'c1');
    expect(code).toBe(1);
    expect(err).toBe(
      'error: create/workspace failed: workspaces.mogenius.com "shop" already exists (status 409)\nThe request had the id c1.\n',
    );
  });

  it.each([
    ['hangs up', (_: unknown, response: ServerResponse) => response.destroy()],
    ['is not ready', (_: unknown, response: ServerResponse) => refuse(response, 503, 'STORE_UNAVAILABLE', 'the log is away')],
  ])('says how to ask again safely when the operator %s', async (_, answer) => {
    const { run } = await operator({ 'POST /api/v1/commands': answer });
    const { code, err } = await run('run', 'create/workspace', '--id', 'shop-1');
    expect(code).toBe(1);
    expect(err).toContain('If it is a command: sending it again with --id shop-1 is safe, it is never done twice.');
  });

  it('refuses a payload that is none before anything is sent', async () => {
    const { run, seen } = await operator({});
    expect((await run('run', 'x', '--payload', '{')).err).toContain('error: --payload is not JSON');
    expect((await run('run', 'x', '-f', '/nowhere/at-all')).err).toContain("error: the payload can't be read: ENOENT");
    expect(seen).toEqual([]);
  });
});
