import type { IncomingMessage } from 'node:http';

/** Whether a peer address is this machine itself. */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain);
}

const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const json = /^application\/json\s*(;|$)/i;
/** A proxy on this machine speaks for somebody else. */
const proxied = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Why a request from this machine without a token is refused; undefined: it may pass.
 * A browser here can be made to call by any page it shows: with a Host that was rebound to this address, from a foreign Origin,
 * or with a form, which can't have a JSON content type.
 */
export function refusedHere({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): string | undefined {
  const { host = '', origin } = headers;
  if (!localHost.test(host)) return 'without a token the Host has to be localhost, 127.0.0.1 or [::1]';
  if (proxied.some((name) => headers[name] !== undefined)) return 'requests that a proxy passed on need a token';
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return 'requests from a page of another origin need a token';
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'requests from a page of another site need a token';
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (
    (hasBody || (method !== 'GET' && method !== 'HEAD' && headers['content-type'] !== undefined)) &&
    !json.test(headers['content-type'] ?? '')
  )
    return 'without a token a body needs the content type application/json';
  return undefined;
}
