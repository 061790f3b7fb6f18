import { afterEach, expect, it, vi } from 'vitest';
import { proxyFor } from './proxy.ts';

afterEach(() => vi.unstubAllEnvs());

const proxied = (url: string) => proxyFor(new URL(url))?.proxy.host;

function given(env: Readonly<Record<string, string>>): void {
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'])
    for (const form of [name, name.toUpperCase()]) vi.stubEnv(form, env[form] ?? '');
}

it('ws goes by HTTP_PROXY, wss by HTTPS_PROXY, either by ALL_PROXY', () => {
  given({ HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'http://secure:3128' });
  expect([proxied('ws://platform.test/'), proxied('wss://platform.test/ws')]).toEqual(['plain:3128', 'secure:3128']);
  given({ all_proxy: 'https://any:3128' });
  expect([proxied('ws://platform.test/'), proxied('wss://platform.test:8443/')]).toEqual(['any:3128', 'any:3128']);
  given({});
  expect(proxied('wss://platform.test/')).toBe(undefined);
});

it.each([
  ['*', 'wss://platform.test/', false],
  ['platform.test', 'wss://platform.test/', false],
  ['.test', 'wss://platform.test/', false],
  ['test', 'wss://platform.test/', false],
  ['Corp.Example', 'wss://ws.corp.example/', false],
  ['form.test', 'wss://platform.test/', true],
  ['platform.test:8443', 'wss://platform.test:8443/', false],
  ['platform.test:8443', 'wss://platform.test/', true],
  ['10.0.0.0/8', 'wss://10.20.30.40/', false],
  ['10.0.0.0/8', 'wss://11.20.30.40/', true],
  ['fd00::/8', 'wss://[fd12::1]/', false],
  ['fd00::/8,10.0.0.0/99,x/y', 'wss://10.0.0.1/', true],
])('NO_PROXY=%s and %s: through the proxy %s', (NO_PROXY, url, through) => {
  given({ ALL_PROXY: 'http://any:3128', NO_PROXY });
  expect(proxied(url) !== undefined).toBe(through);
});

it.each(['ws://localhost:1/', 'ws://127.0.0.1/', 'wss://127.8.9.1/', 'ws://[::1]:80/'])('this machine is dialled directly: %s', (url) => {
  given({ ALL_PROXY: 'http://any:3128' });
  expect(proxied(url)).toBe(undefined);
});
