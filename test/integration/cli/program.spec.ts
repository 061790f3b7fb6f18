import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, emptyFolder } from './terminal.ts';

const commands = ['version', 'cluster', 'config', 'system', 'run', 'events', 'audit', 'commands', 'parked', 'projections', 'doctor'];

describe('help', () => {
  it('names every command, on standard output, with exit code 0', async () => {
    const { code, out, err } = await cli(['--help']);
    expect([code, err]).toEqual([0, '']);
    for (const command of commands) expect(out).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    expect(out).toContain('Examples:');
  });

  it.each([...commands, 'events tail', 'events export', 'commands show', 'parked retry', 'projections rebuild'])(
    'of %s works with a broken configuration',
    async (command) => {
      const folder = emptyFolder();
      writeFileSync(join(folder, '.env'), 'nonsense');
      const { code, out } = await cli([...command.split(' '), '--help'], { folder, env: { MO_LOG_LEVEL: 'loud' } });
      expect(code).toBe(0);
      expect(out).toContain(`Usage: mogenius-operator ${command}`);
    },
  );
});

describe('wrong usage prints the usage, then the error, and exits with 80', () => {
  it.each([
    [['clustr'], "error: unknown command 'clustr'"],
    [['run'], "error: missing required argument 'pattern'"],
    [['audit', '--limits', '3'], "error: unknown option '--limits'"],
    [['audit', '--limit', 'x'], "error: option '--limit <n>' argument 'x' is invalid. It has to be a whole number from 1 to 1000."],
    [
      ['events', 'tail', '--after', 'now'],
      "error: option '--after <position>' argument 'now' is invalid. A position looks like 1719000000000-0.",
    ],
    [['events', 'export'], "error: required option '-f, --file <file>' not specified"],
    [['config', '-o', 'xml'], "error: option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are table, json, yaml."],
    [['version', 'now'], "error: too many arguments for 'version'. Expected 0 arguments but got 1."],
    [['run', 'x', '--file', 'a', '--payload', '{}'], "error: options '--file' and '--payload' exclude each other"],
    [['audit', '--server', 'ftp://x'], "error: option '--server <url>' needs an http or https URL"],
    [['audit', '--server', 'http://user:pass@x'], "error: option '--server <url>' takes no user and password; use --token-file"],
    [['audit', '--timeout', 'soon'], "error: option '--timeout <seconds>' needs a number above 0, not 'soon'"],
  ])('%j', async (args, message) => {
    const { code, out, err } = await cli(args);
    expect([code, out]).toEqual([80, '']);
    expect(err.startsWith('Usage: mogenius-operator')).toBe(true);
    expect(err).toContain(`\n${message}`);
  });
});

describe('version', () => {
  it.each([[[]], [['version']], [['--version']]])('%j says what this is', async (args) => {
    const { code, out } = await cli(args);
    expect(code).toBe(0);
    expect(out).toContain('Version  0.1.0');
  });

  it('is data for programs', async () => {
    const { out } = await cli(['version', '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({ version: '0.1.0' });
  });
});

describe('config', () => {
  const env = {
    MO_CLUSTER_NAME: 'dev',
    MO_API_KEY: 'canary-api-key',
    MO_VALKEY_ADDR: 'valkey://u:canary-valkey@host:1',
    OWN_NAMESPACE: 'a\nb',
  };

  it('prints each setting in env form, sorted, secrets masked', async () => {
    const { code, out } = await cli(['config'], { env });
    expect(code).toBe(0);
    expect(out).not.toContain('canary');
    const blocks = out.trimEnd().split('\n\n');
    expect(blocks).toHaveLength(47);
    expect(blocks[0]).toBe(
      [
        '## Key: CLUSTER_DOMAIN',
        '## Description: DNS suffix of service names inside the cluster.',
        '## Default: cluster.local',
        '## Has Validation: false',
        '## Envs: []string{}',
        'CLUSTER_DOMAIN=cluster.local',
      ].join('\n'),
    );
    expect(out).toContain('## Envs: []string{"OWN_NAMESPACE"}\nMO_OWN_NAMESPACE=a\\nb\n');
    expect(out).toContain('## Default: ""\n## Has Validation: true\n## Envs: []string{}\nOWN_NODE_NAME=\n');
    expect(out).toContain('\nMO_API_KEY=***[REDACTED]***\n');
    expect(out).toContain('\nMO_VALKEY_ADDR=valkey://u:***[REDACTED]***@host:1\n');
  });

  it('tells where each value is from', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, '.env'), 'MO_CLUSTER_NAME=of-the-file\nMO_LOG_LEVEL=debug\n');
    const { out } = await cli(['config', '-o', 'json'], { folder, env: { MO_CLUSTER_NAME: 'of-the-environment' } });
    const settings: { key: string; value: string; from: string }[] = JSON.parse(out);
    const of = (key: string) => settings.find((setting) => setting.key === key);
    expect(of('MO_CLUSTER_NAME')).toMatchObject({ value: 'of-the-environment', from: 'MO_CLUSTER_NAME' });
    expect(of('MO_LOG_LEVEL')).toMatchObject({ value: 'debug', from: 'MO_LOG_LEVEL' });
    expect(of('MO_HTTP_ADDR')).toMatchObject({ value: ':1337', from: 'default' });
  });

  it('names the line of a .env that is malformed', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, '.env'), 'MO_API_KEY="canary-open');
    const { code, err } = await cli(['config'], { folder });
    expect(code).toBe(1);
    expect(err).toContain('.env: line 1: the quote " is never closed');
    expect(err).not.toContain('canary');
  });
});

describe('an incomplete configuration', () => {
  it.each(['cluster', 'system'])('keeps %s from starting and says everything at once', async (command) => {
    const { code, out } = await cli([command], { env: { MO_API_KEY: 'canary-key', MO_LOG_LEVEL: 'loud', MO_HTTP_TOKEN: 'canary-token' } });
    expect(code).toBe(1);
    expect(out.startsWith('Configuration Values\n\n```env\n## Key: CLUSTER_DOMAIN\n')).toBe(true);
    expect(out.split('```\n\n')[1]).toBe(
      [
        "ERROR: Value for Key 'MO_CLUSTER_NAME' is not initialized.",
        "ERROR: Validation for Key 'MO_LOG_LEVEL' failed: 'MO_LOG_LEVEL' needs to be one of 'mo, debug, info, warn, error' but is 'loud'",
        "ERROR: Value for Key 'MO_VALKEY_ADDR' is not initialized.",
        'Found 3 error(s) when validating configuration values.',
        '',
      ].join('\n'),
    );
    expect(out).not.toContain('canary');
  });
});

it.each(['nodemetrics', 'exec', 'logs'])('%s says that it is not part of this release', async (command) => {
  const { code, err } = await cli([command, '--namespace', 'a', '--', 'sh']);
  expect(code).toBe(1);
  expect(err).toMatch(new RegExp(`^error: ${command} \\(.*\\) is not part of this release\\n$`));
});
