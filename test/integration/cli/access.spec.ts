import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refuse } from './double.ts';
import { list, operator } from './operator.ts';
import { cli, emptyFolder } from './terminal.ts';

describe('who is asked, and with what token', () => {
  const answers = { 'GET /api/v1/commands': list() };

  it('takes the token of a file, of the environment, of .env, in this order', async () => {
    const { url, seen } = await operator(answers);
    const folder = emptyFolder();
    writeFileSync(join(folder, '.env'), 'MO_HTTP_TOKEN=of-dotenv\n');
    writeFileSync(join(folder, 'token'), 'of-the-file\n');
    const args = ['commands', 'list', '--server', url];
    await cli([...args, '--token-file', join(folder, 'token')], { folder, env: { MO_HTTP_TOKEN: 'of-env' } });
    await cli(args, { folder, env: { MO_HTTP_TOKEN: 'of-env' } });
    await cli(args, { folder });
    await cli(args);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer of-the-file',
      'Bearer of-env',
      'Bearer of-dotenv',
      undefined,
    ]);
  });

  it('takes the address of MO_SERVER, but never of a .env, which may be somebody else’s', async () => {
    const { url, seen } = await operator(answers);
    const folder = emptyFolder();
    writeFileSync(join(folder, '.env'), `MO_SERVER=${url}\n`);
    await cli(['commands', 'list'], { folder, env: { MO_SERVER: 'http://127.0.0.1:1' } });
    expect(seen).toHaveLength(0);
    await cli(['commands', 'list'], { env: { MO_SERVER: url } });
    expect(seen).toHaveLength(1);
  });

  it('does not follow a redirect with the token', async () => {
    const other = await operator(answers);
    const { run } = await operator({
      'GET /api/v1/commands': (_: unknown, response: ServerResponse) =>
        response.writeHead(307, { location: `${other.url}/api/v1/commands` }).end(),
    });
    expect((await run('commands', 'list')).code).toBe(1);
    expect(other.seen).toEqual([]);
  });

  it.each([
    [401, 'Set MO_HTTP_TOKEN, or give a file with --token-file.'],
    [403, 'Set MO_HTTP_TOKEN, or give a file with --token-file.'],
    [503, '`mogenius-operator doctor` says what is missing.'],
    [400, 'the remedy of SOME_CODE'],
  ])('says what to do about status %i', async (status, hint) => {
    const { run, url } = await operator({
      'GET /api/v1/commands': (_: unknown, response: ServerResponse) => refuse(response, status, 'SOME_CODE', 'no'),
    });
    const { code, err } = await run('commands', 'list');
    expect(code).toBe(1);
    expect(err).toBe(`error: ${url} refuses: no (SOME_CODE)\n${hint}\n`);
  });

  it('says when nobody answers, when it takes too long, and when it is no operator', async () => {
    const silent = await operator({ 'GET /api/v1/commands': () => {} });
    const other = await operator({
      'GET /api/v1/commands': (_: unknown, response: ServerResponse) => response.end('<html>'),
    });
    const newer = await operator({ 'GET /api/v1/commands': { rows: [] } });
    const nobody = await cli(['commands', 'list', '--server', 'http://127.0.0.1:1']);
    expect(nobody.err).toContain('error: no operator answers at http://127.0.0.1:1');
    expect((await silent.run('commands', 'list', '--timeout', '0.05')).err).toContain('did not answer within 0.05 s');
    expect((await other.run('commands', 'list')).err).toContain('answers 200 with something that is not JSON');
    expect((await newer.run('commands', 'list')).err).toContain("in a form this release doesn't know: items");
  });

  it('keeps its secrets out of what it prints', async () => {
    const { url } = await operator({});
    const { out, err } = await cli(['doctor', '--server', url], {
      env: { MO_HTTP_TOKEN: 'canary-token', MO_API_KEY: 'canary-key', MO_VALKEY_ADDR: 'valkey://:canary-pw@h:99999' },
    });
    expect(out).toContain('MO_VALKEY_ADDR');
    expect(out + err).not.toContain('canary');
  });
});
