import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noValkey, type ValkeyServer, valkeyServer } from '../../support/valkey/index.ts';
import { kubeconfigIn, type Started, sandbox, start } from './real.ts';
import { cli, emptyFolder } from './terminal.ts';

const secrets = { MO_HTTP_TOKEN: 'canary-http-token', MO_VALKEY_PASSWORD: 'canary-valkey-password' };

describe.skipIf(noValkey)('the command line with a real operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-real-'));
  let valkey: ValkeyServer;
  let kubernetes: Awaited<ReturnType<typeof sandbox>>;
  let operator: Started;
  let server = '';
  const run = (...args: string[]) => cli([...args, '--server', server], { env: { MO_HTTP_TOKEN: secrets.MO_HTTP_TOKEN } });
  const settings = () => ({
    ...secrets,
    MO_CLUSTER_NAME: 'dev',
    MO_CLUSTER_MFA_ID: 'dev-1',
    MO_VALKEY_ADDR: `127.0.0.1:${valkey.port}`,
    MO_HTTP_ADDR: '127.0.0.1:0',
    MO_SKIP_IMPERSONATION: 'true',
    MO_LOG_LEVEL: 'debug',
    KUBECONFIG: join(folder, 'kubeconfig'),
  });

  beforeAll(async () => {
    [valkey, kubernetes] = await Promise.all([
      valkeyServer({ password: secrets.MO_VALKEY_PASSWORD, appendonly: true, maxmemory: '256mb' }),
      sandbox(),
    ]);
    kubeconfigIn(folder, kubernetes.kubeconfig);
    operator = start(['cluster'], settings(), folder);
    server = `http://127.0.0.1:${await operator.said(/the operator is up .*"http":(\d+)/)}`;
  });

  afterAll(async () => {
    operator?.child.kill('SIGKILL');
    await kubernetes?.stop();
    await valkey?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('finds everything that it needs', async () => {
    const { code, out } = await run('doctor');
    expect(out).not.toMatch(/^FAIL/m);
    for (const check of ['configuration', 'HTTP API', 'valkey', 'kubernetes', 'projections', 'parked commands'])
      expect(out).toMatch(new RegExp(`^ok {4}${check}: `, 'm'));
    expect(code).toBe(0);
  });

  it('runs a command once, however often it is sent under one id', async () => {
    const create = () =>
      run('run', 'create/workspace', '--payload', '{"name":"shop","resources":[]}', '--id', 'shop-1', '--email', 'ann@example.com');
    expect(await create()).toEqual({ code: 0, out: '', err: 'Resource created successfully (id shop-1)\n' });
    expect(await create()).toEqual({ code: 0, out: '', err: 'Resource created successfully (id shop-1)\n' });
    const other = await run('run', 'create/workspace', '--payload', '{"name":"other","resources":[]}', '--id', 'shop-1');
    expect(other.code).toBe(1);
    expect(other.err).toContain('error: create/workspace failed: the id "shop-1" was used before for another request (status 409)');
    const again = await run('run', 'create/workspace', '--payload', '{"name":"shop","resources":[]}', '--id', 'shop-2');
    expect(again.err).toContain('already exists (status 409)');
    const { out } = await run('run', 'get/workspace', '--payload', '{"name":"shop"}');
    expect(out).toContain('name: shop\n');
  });

  it('shows what became of it', async () => {
    const [first] = JSON.parse((await run('commands', 'list', '--phase', 'failed', '-o', 'json')).out);
    expect(first).toMatchObject({ id: 'shop-2', pattern: 'create/workspace', phase: 'failed' });
    const audit = JSON.parse((await run('audit', '--search', 'shop', '-o', 'json')).out);
    expect(audit.at(-1)).toMatchObject({ pattern: 'create/workspace', name: 'shop', success: true, user: { email: 'ann@example.com' } });
    const { chain } = JSON.parse((await run('commands', 'show', 'shop-1', '-o', 'json')).out);
    expect(chain.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['CommandAccepted', 'CommandSucceeded', 'ObjectAppeared']),
    );
    expect((await run('commands', 'show', 'nothing')).err).toContain('no command has the id "nothing"');
  });

  it('reads, follows and exports the log', async () => {
    const tail = await run('events', 'tail', '--after', '0-0', '--command', 'shop-1', '-n', '2', '-o', 'json');
    const [accepted] = tail.out.split('\n').map((line) => (line === '' ? undefined : JSON.parse(line)));
    expect(accepted).toMatchObject({ type: 'CommandAccepted', commandid: 'shop-1' });
    expect(JSON.parse((await run('events', 'show', accepted.position, '-o', 'json')).out)).toEqual(accepted);
    const file = join(emptyFolder(), 'log.jsonl.gz');
    const exported = await run('events', 'export', '-f', file);
    const count = Number(/^(\d+) events exported\n$/.exec(exported.err)?.[1]);
    expect(count).toBeGreaterThan(5);
  });

  it('rebuilds and verifies views', async () => {
    expect((await run('projections', 'rebuild', 'audit-log')).err).toMatch(/^audit-log is rebuilt and live at \d+-\d+\n$/);
    expect((await run('projections', 'verify', 'audit-log')).err).toMatch(/^audit-log: \d+ rows, equal to a rebuild from the log\n$/);
    expect((await run('projections', 'rebuild', 'nothing')).err).toContain('no projection is called "nothing"');
  });

  it('is refused with a wrong token, and says what to do', async () => {
    const { code, err } = await cli(['commands', '--server', server], { env: { MO_HTTP_TOKEN: 'wrong' } });
    expect(code).toBe(1);
    expect(err).toContain('The token is not the right one: check MO_HTTP_TOKEN or --token-file.');
    expect((await cli(['doctor', '--server', server], { env: { MO_HTTP_TOKEN: 'wrong' } })).out).toContain('the token is not valid here');
  });

  it('system finds the same places good, without an operator', async () => {
    const { code, out, err } = await cli(['system'], { env: { ...settings(), MO_LOG_LEVEL: 'error' } });
    expect(err).toBe('');
    expect(out).toMatch(/^ok {4}Valkey: valkey .*, durability everysec$/m);
    expect(out).toMatch(/^ok {4}Kubernetes: version v/m);
    expect(out + err).not.toContain('canary');
    expect(code).toBe(0);
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp, RegExp]>([
    [
      'the password',
      { MO_VALKEY_PASSWORD: 'canary-wrong' },
      /^FAIL {2}Valkey: .*WRONGPASS/m,
      /MO_VALKEY_ADDR leads there, and the password/,
    ],
    [
      'the address of Valkey',
      { MO_VALKEY_ADDR: '127.0.0.1:1' },
      /^FAIL {2}Valkey: 127\.0\.0\.1:1 does not answer: connect ECONNREFUSED/m,
      /Check that Valkey runs/,
    ],
    ['the kubeconfig', { KUBECONFIG: '/nowhere' }, /^FAIL {2}Kubernetes: no usable Kubernetes configuration/m, /Check KUBECONFIG/],
    ['the archive', { MO_ARCHIVE_PATH: '/nowhere' }, /^FAIL {2}archive: ENOENT/m, /Make the folder \/nowhere/],
    [
      'the platform',
      { MO_API_SERVER: 'ws://127.0.0.1:1', MO_EVENT_SERVER: 'ws://127.0.0.1:1', MO_API_KEY: 'canary-key', OWN_NODE_NAME: 'n' },
      /^FAIL {2}platform: API server: 127\.0\.0\.1:1 can't be reached: connect ECONNREFUSED/m,
      /Check MO_API_SERVER/,
    ],
  ])('system says how to mend %s', async (_, broken, finding, mend) => {
    const { code, out, err } = await cli(['system'], { env: { ...settings(), MO_LOG_LEVEL: 'error', ...broken } });
    expect(code).toBe(1);
    expect(out).toMatch(finding);
    expect(out).toMatch(mend);
    expect(out + err).not.toContain('canary');
  });

  it('system says how to mend a Valkey that would evict the log', async () => {
    await valkey.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const { out } = await cli(['system'], { env: { ...settings(), MO_LOG_LEVEL: 'error' } });
    await valkey.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expect(out).toContain(
      'FAIL  Valkey: maxmemory-policy is allkeys-lru, which would evict parts of the log\n      Run CONFIG SET maxmemory-policy noeviction',
    );
  });

  it('doctor says that Valkey is away, and what to do', async () => {
    await valkey.kill();
    await operator.said(/WARN +valkey connection lost/);
    const { code, out } = await run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL {2}valkey: .*\n {6}Check that Valkey runs, that MO_VALKEY_ADDR leads there/m);
    const sent = await run('run', 'create/workspace', '--payload', '{"name":"late","resources":[]}', '--id', 'late-1');
    expect(sent.code).toBe(1);
    expect(sent.err).toContain('sending it again with --id late-1 is safe');
    await valkey.restart();
  });

  it('stops at SIGTERM with exit code 0, and printed no secret', async () => {
    operator.child.kill('SIGTERM');
    expect(await operator.ended).toEqual({ code: 0, signal: null });
    expect(operator.output()).toContain('stopping {"reason":"SIGTERM"}');
    expect(operator.output()).not.toContain('canary');
    expect((await run('doctor')).out).toMatch(/^FAIL {2}HTTP API: no operator answers at /m);
  });

  // The kernel ends a process whose handlers do not stand yet; from then on it is a clean stop.
  it.each([0, 5, 50, 400])('stops when it is told so %i ms after its start, with nothing there that it needs', async (ms) => {
    const waiting = start(['cluster'], { ...settings(), MO_VALKEY_ADDR: '127.0.0.1:1', KUBECONFIG: '/nowhere' }, folder);
    await new Promise((later) => setTimeout(later, ms));
    waiting.child.kill('SIGTERM');
    expect([0, null, 1]).toContain((await waiting.ended).code);
  });
});
