import { describe, expect, it, vi } from 'vitest';
import { createConfiguration, type Key, keys, redacted } from './index.ts';

const least = { MO_CLUSTER_NAME: 'dev', MO_VALKEY_ADDR: 'valkey:6379' };
const linked = {
  ...least,
  MO_API_KEY: 'key-of-the-api',
  MO_CLUSTER_MFA_ID: '',
  MO_API_SERVER: 'wss://api.example.com/ws',
  MO_EVENT_SERVER: 'ws://events.example.com:8080',
  OWN_NODE_NAME: 'node-1',
};
const configured = (env: Readonly<Record<string, string>>) => createConfiguration({ env, folder: '/srv' });
const problems = (env: Readonly<Record<string, string>>) =>
  configured(env)
    .problems()
    .map(({ text }) => text);

describe('what is needed', () => {
  it('is the name of the cluster and Valkey, when there is no platform', () => {
    expect(problems({})).toEqual([
      "Value for Key 'MO_CLUSTER_NAME' is not initialized.",
      "Value for Key 'MO_VALKEY_ADDR' is not initialized.",
    ]);
    expect(problems(least)).toEqual([]);
    expect(configured(least).linked()).toBe(false);
  });

  it('is no more when the chart sets the server URLs to nothing', () => {
    const empty = { ...least, MO_API_SERVER: '', MO_EVENT_SERVER: '', OWN_NODE_NAME: '' };
    expect(problems(empty)).toEqual([]);
    expect(configured(empty).linked()).toBe(false);
  });

  it('is all that the platform needs as soon as one server is set, told at once', () => {
    expect(problems({ MO_API_SERVER: 'wss://api.example.com' })).toEqual([
      "Value for Key 'MO_API_KEY' is not initialized.",
      "Value for Key 'MO_CLUSTER_MFA_ID' is not initialized.",
      "Value for Key 'MO_CLUSTER_NAME' is not initialized.",
      "Value for Key 'MO_EVENT_SERVER' is not initialized.",
      "Value for Key 'MO_VALKEY_ADDR' is not initialized.",
      "Validation for Key 'OWN_NODE_NAME' failed: 'OWN_NODE_NAME' has to be defined and may not be empty: \"\"",
    ]);
    expect(problems(linked)).toEqual([]);
  });

  it('is never a Valkey password', () => {
    expect(problems({ ...linked, MO_VALKEY_PASSWORD: '' })).toEqual([]);
    expect(configured(least).get('MO_VALKEY_PASSWORD')).toBe('');
  });

  it('is nothing that an installation of the existing operator does not set: only these keys lack a default', () => {
    const without = configured({})
      .masked()
      .filter((setting) => setting.default === undefined)
      .map(({ key }) => key);
    expect(without).toEqual(['MO_API_KEY', 'MO_API_SERVER', 'MO_CLUSTER_MFA_ID', 'MO_CLUSTER_NAME', 'MO_EVENT_SERVER', 'MO_VALKEY_ADDR']);
    expect(keys).toHaveLength(47);
  });
});

describe('loading', () => {
  it('takes the key before its aliases, and those before the default', () => {
    expect(configured({ OWN_NAMESPACE: 'b' }).get('MO_OWN_NAMESPACE')).toBe('b');
    expect(configured({ OWN_NAMESPACE: 'b', MO_OWN_NAMESPACE: 'a' }).get('MO_OWN_NAMESPACE')).toBe('a');
    expect(configured({}).get('MO_OWN_NAMESPACE')).toBe('mogenius');
  });

  it.each([
    ['api_key', 'MO_API_KEY'],
    ['cluster_name', 'MO_CLUSTER_NAME'],
    ['PORT_FORWARD_ALLOW_EXTERNAL_HOSTS', 'MO_PORT_FORWARD_ALLOW_EXTERNAL_HOSTS'],
    ['helm_data_path', 'MO_HELM_DATA_PATH'],
    ['git_user_name', 'MO_GIT_USER_NAME'],
    ['git_user_email', 'MO_GIT_USER_EMAIL'],
    ['audit_log_limit', 'MO_AUDIT_LOG_LIMIT'],
    ['audit_log_ttl', 'MO_AUDIT_LOG_TTL'],
  ] as const)('knows %s as another name of %s', (alias, key) => {
    expect(
      configured({ [alias]: '1h' })
        .masked()
        .find((setting) => setting.key === key)?.from,
    ).toBe(alias);
  });

  it('counts a variable that is set but empty as set', () => {
    expect(configured({ MO_GIT_USER_NAME: '', git_user_name: 'x' }).get('MO_GIT_USER_NAME')).toBe('');
  });

  it('puts the data of Helm below the working folder', () => {
    expect(configured({}).get('MO_HELM_DATA_PATH')).toBe('/srv/helm-data');
  });

  it('gives each value its type', () => {
    const config = configured({
      ...least,
      MO_LOG_FILTER: ' a, ,b ',
      MO_AUDIT_LOG_TTL: '1h30m',
      MO_API_SERVER_CLIENTS: '+3',
      KUBERNETES_DEBUG: 'TRUE',
    });
    expect(config.get('MO_LOG_FILTER')).toEqual(['a', 'b']);
    expect(config.get('MO_AUDIT_LOG_TTL')).toBe(5_400_000);
    expect(config.get('MO_API_SERVER_CLIENTS')).toBe(3);
    expect(config.get('KUBERNETES_DEBUG')).toBe(true);
    expect(config.find('MO_API_KEY')).toBeUndefined();
    expect(() => config.get('MO_API_KEY')).toThrow("uninitialized config value 'MO_API_KEY' cant be accessed");
  });
});

describe('refusals', () => {
  const url = "'MO_API_SERVER' needs to be a URL: ";
  it.each<[Key, string, string]>([
    ['MO_API_SERVER', 'api.example.com', `${url}it has no scheme and host, e.g. wss://api.example.com/ws`],
    ['MO_API_SERVER', 'https://api.example.com', `${url}the scheme has to be ws or wss, not "https"`],
    ['MO_API_SERVER', 'ws://', `${url}it has no scheme and host, e.g. wss://api.example.com/ws`],
    ['MO_EVENT_SERVER', 'http://x', `'MO_EVENT_SERVER' needs to be a URL: the scheme has to be ws or wss, not "http"`],
    ['MO_API_SERVER', '', `${url}it is empty`],
    ['MO_API_SERVER_CLIENTS', 'two', `'MO_API_SERVER_CLIENTS' needs to be an integer: "two" is not a whole number`],
    ['MO_API_SERVER_CLIENTS', '0', "'MO_API_SERVER_CLIENTS' must be at least 1, got 0"],
    ['MO_VALKEY_ADDR', 'valkey', "'MO_VALKEY_ADDR' needs to be a host:port address: address valkey: missing port in address"],
    ['MO_VALKEY_ADDR', 'a:b:c', "'MO_VALKEY_ADDR' needs to be a host:port address: address a:b:c: too many colons in address"],
    [
      'MO_VALKEY_ADDR',
      'http://x',
      "'MO_VALKEY_ADDR' needs to be a host:port address: the URL is not of the form valkey://user:password@host:port/database",
    ],
    ['MO_STATS_RETENTION_MAX_ENTRIES', 'x', `'MO_STATS_RETENTION_MAX_ENTRIES' needs to be an integer: "x" is not a whole number`],
    ['MO_STATS_RETENTION_HOURS', '0', "'MO_STATS_RETENTION_HOURS' must be positive, got 0"],
    [
      'MO_STATS_RETENTION_HOURS',
      '9223372036854775808',
      `'MO_STATS_RETENTION_HOURS' needs to be an integer: "9223372036854775808" is out of range`,
    ],
    ['MO_AUDIT_LOG_TTL', '14d', `'MO_AUDIT_LOG_TTL' needs to be a Go duration (e.g. 336h): "14d" is no duration`],
    ['MO_AUDIT_LOG_TTL', '336', `'MO_AUDIT_LOG_TTL' needs to be a Go duration (e.g. 336h): "336" has no unit`],
    ['MO_AUDIT_LOG_TTL', '-1h', "'MO_AUDIT_LOG_TTL' needs to be positive"],
    ['MO_AUDIT_LOG_TTL', '0', "'MO_AUDIT_LOG_TTL' needs to be positive"],
    ['MO_SNOOPY_IMPLEMENTATION', 'ebpf', "'MO_SNOOPY_IMPLEMENTATION' needs to be one of: auto, snoopy, procdev"],
    ['MO_LOG_LEVEL', 'INFO', "'MO_LOG_LEVEL' needs to be one of 'mo, debug, info, warn, error' but is 'INFO'"],
    ['MO_AUDIT_LOG_LIMIT', '1.5', 'value is not a valid integer: "1.5" is not a whole number'],
    [
      'MO_SKIP_TLS_VERIFICATION',
      'yes',
      'value is not a valid boolean: "yes" is none of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False',
    ],
    ['MO_CLUSTER_NAME', '', "'MO_CLUSTER_NAME' may not be empty"],
    ['MO_HTTP_ADDR', '1337', "'MO_HTTP_ADDR' needs to be a host:port address: address 1337: missing port in address"],
    ['MO_EVENT_DURABILITY', 'always', `'MO_EVENT_DURABILITY' needs to be one of: fsync, everysec, memory, not "always"`],
  ])('%s=%s', (key, value, reason) => {
    expect(problems({ ...linked, [key]: value })).toContain(`Validation for Key '${key}' failed: ${reason}`);
  });

  it('names every boolean with the one list of words', () => {
    for (const [text, value] of [
      ['1', true],
      ['t', true],
      ['T', true],
      ['TRUE', true],
      ['true', true],
      ['True', true],
      ['0', false],
      ['f', false],
      ['F', false],
      ['FALSE', false],
      ['false', false],
      ['False', false],
    ] as const)
      expect(configured({ MO_SKIP_IMPERSONATION: text }).get('MO_SKIP_IMPERSONATION')).toBe(value);
  });
});

describe('changing', () => {
  it('calls back for the keys that were named and for all, only when the text is another', () => {
    const config = configured(linked);
    const [named, all] = [vi.fn(), vi.fn()];
    config.onChange(['MO_API_KEY'], named);
    const end = config.onChange([], all);
    config.set('MO_API_KEY', 'key-of-the-api');
    config.set('MO_LOG_LEVEL', 'debug');
    config.set('MO_API_KEY', 'another-key');
    end();
    config.set('MO_LOG_LEVEL', 'warn');
    expect(named.mock.calls).toEqual([[{ key: 'MO_API_KEY', value: 'another-key', secret: true }]]);
    expect(all.mock.calls.map(([{ key }]) => key)).toEqual(['MO_LOG_LEVEL', 'MO_API_KEY']);
    expect(config.get('MO_LOG_LEVEL')).toBe('warn');
  });

  it('refuses a wrong value and keeps the old one', () => {
    const config = configured(linked);
    expect(() => config.set('MO_API_SERVER', 'https://x')).toThrow(
      "Validation for Key 'MO_API_SERVER' failed: 'MO_API_SERVER' needs to be a URL",
    );
    expect(config.get('MO_API_SERVER')).toBe('wss://api.example.com/ws');
  });

  it('tells every listener, though one of them fails', () => {
    const config = configured(linked);
    const second = vi.fn();
    config.onChange([], () => {
      throw new Error('first');
    });
    config.onChange([], second);
    expect(() => config.set('MO_LOG_LEVEL', 'debug')).toThrow('a change of MO_LOG_LEVEL was not taken over everywhere');
    expect(second).toHaveBeenCalledOnce();
  });
});

describe('secrets', () => {
  const env = {
    ...linked,
    MO_CLUSTER_MFA_ID: 'canary-mfa-id',
    MO_VALKEY_ADDR: 'rediss://user:canary%2Dvalkey@h@host:6379/3',
    MO_VALKEY_PASSWORD: 'canary-password',
    MO_HTTP_TOKEN: 'canary-token',
    MO_EVENTSTOREDB_URL: 'esdb://admin:canary-esdb@host:2113',
    MO_API_KEY: 'canary-api-key',
  };

  it('are masked wherever settings are printed', () => {
    const shown = JSON.stringify(configured(env).masked());
    expect(shown).not.toContain('canary');
    expect(shown).toContain(`rediss://user:${redacted}@host:6379/3`);
  });

  it('are known with the passwords in URLs, as written and decoded, and stay known when they are replaced', () => {
    const config = configured(env);
    const before = config.secrets();
    config.set('MO_API_KEY', 'the-next-one');
    expect(config.secrets()).toEqual(
      expect.arrayContaining([
        'the-next-one',
        'canary-api-key',
        'canary-mfa-id',
        'canary%2Dvalkey@h',
        'canary-valkey@h',
        'canary-esdb',
        'canary-password',
        'canary-token',
      ]),
    );
    expect(before).not.toContain('the-next-one');
    expect(config.secrets()).toBe(config.secrets());
  });

  it('do not stand in problems', () => {
    const text = JSON.stringify(
      problems({ ...env, MO_VALKEY_ADDR: 'valkey://user:canary@host:99999', MO_EVENT_SERVER: 'wss://u:canary@' }),
    );
    expect(text).toContain('MO_VALKEY_ADDR');
    expect(text).not.toContain('canary');
  });
});
