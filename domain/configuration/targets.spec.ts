import { expect, it } from 'vitest';
import { createConfiguration, durationOf, listenAddress, platformTarget, valkeyTarget } from './index.ts';

const configured = (env: Readonly<Record<string, string>>) => createConfiguration({ env, folder: '/' });

it.each([
  [{ MO_VALKEY_ADDR: 'host:6380' }, { host: 'host', port: 6380, username: '', password: '', database: 0 }],
  [{ MO_VALKEY_ADDR: ':6379' }, { host: 'localhost', port: 6379, username: '', password: '', database: 0 }],
  [
    { MO_VALKEY_ADDR: '[::1]:6379', MO_VALKEY_DATABASE: '2' },
    { host: '::1', port: 6379, username: '', password: '', database: 2 },
  ],
  [{ MO_VALKEY_ADDR: 'valkey://host/3' }, { host: 'host', port: 6379, username: '', password: '', database: 3 }],
  [{ MO_VALKEY_ADDR: 'redis://[fe80::1]:7000' }, { host: 'fe80::1', port: 7000, username: '', password: '', database: 0 }],
  [
    { MO_VALKEY_ADDR: 'rediss://us%40er:p%2Fa%3As%40s@host:1/0' },
    { host: 'host', port: 1, username: 'us@er', password: 'p/a:s@s', database: 0, tls: { verify: true, caFile: '' } },
  ],
  [
    { MO_VALKEY_ADDR: 'valkey://user:p@ss/w#rd?100%@host:1/9' },
    { host: 'host', port: 1, username: 'user', password: 'p@ss/w#rd?100%', database: 9 },
  ],
  [{ MO_VALKEY_ADDR: 'valkey://:only@host' }, { host: 'host', port: 6379, username: '', password: 'only', database: 0 }],
  [
    { MO_VALKEY_ADDR: 'valkey://u@host', MO_VALKEY_PASSWORD: 'beside', MO_VALKEY_USERNAME: 'other' },
    { host: 'host', port: 6379, username: 'u', password: 'beside', database: 0 },
  ],
  [
    {
      MO_VALKEY_ADDR: 'host:1',
      MO_VALKEY_TLS_ENABLED: 'true',
      MO_VALKEY_TLS_INSECURE_SKIP_VERIFY: '1',
      MO_VALKEY_TLS_CA_CERT_FILE: '/ca.pem',
    },
    { host: 'host', port: 1, username: '', password: '', database: 0, tls: { verify: false, caFile: '/ca.pem' } },
  ],
])('Valkey of %j', (env, target) => {
  expect(valkeyTarget(configured(env))).toEqual(target);
});

it('listens where it is told', () => {
  expect(listenAddress(configured({}))).toEqual({ host: '', port: 1337 });
  expect(listenAddress(configured({ MO_HTTP_ADDR: '127.0.0.1:0' }))).toEqual({ host: '127.0.0.1', port: 0 });
});

it('has no platform without servers', () => {
  expect(platformTarget(configured({ MO_API_SERVER: '', MO_EVENT_SERVER: '' }))).toBeUndefined();
});

it('has all of the platform with them', () => {
  const env = { MO_API_SERVER: 'ws://a', MO_EVENT_SERVER: 'ws://b', MO_API_KEY: 'k', MO_SKIP_TLS_VERIFICATION: 'T' };
  expect(platformTarget(configured(env))).toEqual({
    apiServer: 'ws://a',
    eventServer: 'ws://b',
    clients: 2,
    apiKey: 'k',
    verifyTls: false,
  });
});

it.each([
  ['336h', 1_209_600_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['.5m', 30_000],
  ['100us', 0.1],
  ['-2ms', -2],
  ['+1h', 3_600_000],
  ['0', 0],
])('the duration %s', (text, milliseconds) => {
  expect(durationOf(text)).toEqual({ value: milliseconds });
});

it.each(['', 'h', '1', '1d', '1h 30m', '1h30', '--1h', '1.h.'])('no duration: %j', (text) => {
  expect(durationOf(text)).toHaveProperty('reason');
});
