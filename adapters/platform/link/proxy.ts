import { BlockList, isIP, isIPv4 } from 'node:net';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';

/**
 * The way through the proxy that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name for a WebSocket URL; undefined for the direct way.
 * Throws when the proxy is of a kind nobody here speaks.
 */
export function proxyFor(url: URL): HttpsProxyAgent<string> | undefined {
  if (isLoopback(url.hostname) || isExempt(url.hostname)) return undefined;
  // The variables are named after http and https: for ws and wss the library would look for WS_PROXY.
  const proxy = getProxyForUrl(url.href.replace(/^ws/, 'http'));
  if (proxy === '') return undefined;
  const scheme = URL.canParse(proxy) ? new URL(proxy).protocol : '';
  if (scheme !== 'http:' && scheme !== 'https:') throw new Error('the proxy of the environment is no http or https URL');
  return new HttpsProxyAgent(proxy);
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));

/**
 * What the library doesn't read in NO_PROXY although other programs of a cluster do: a bare domain stands for its hosts too,
 * and `10.0.0.0/8` for every address in it.
 */
function isExempt(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const entries = (process.env.no_proxy || process.env.NO_PROXY || '').toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    if (entry.includes('/')) return isWithin(host, entry);
    return entry !== '' && isIP(host) === 0 && host.endsWith(`.${entry}`);
  });
}

function isWithin(host: string, network: string): boolean {
  const [start = '', bits = ''] = network.split('/');
  const family = isIP(host) === 6 ? 'ipv6' : 'ipv4';
  const most = family === 'ipv6' ? 128 : 32;
  if (isIP(host) === 0 || isIP(host) !== isIP(start) || !/^\d+$/.test(bits) || Number(bits) > most) return false;
  const list = new BlockList();
  list.addSubnet(start, Number(bits), family);
  return list.check(host, family);
}
