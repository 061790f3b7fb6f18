import { isIPv4 } from 'node:net';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';

/**
 * The way through the proxy that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name for a WebSocket URL; undefined for the direct way.
 * Throws when the proxy is of a kind nobody here speaks.
 */
export function proxyFor(url: URL): HttpsProxyAgent<string> | undefined {
  if (isLoopback(url.hostname)) return undefined;
  // The variables are named after http and https: for ws and wss the library would look for WS_PROXY.
  const proxy = getProxyForUrl(url.href.replace(/^ws/, 'http'));
  if (proxy === '') return undefined;
  const scheme = URL.canParse(proxy) ? new URL(proxy).protocol : '';
  if (scheme !== 'http:' && scheme !== 'https:') throw new Error('the proxy of the environment is no http or https URL');
  return new HttpsProxyAgent(proxy);
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
