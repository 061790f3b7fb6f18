import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { connect } from 'node:net';
import { getProxyForUrl } from 'proxy-from-env';
import { type Configuration, platformTarget } from '../../../domain/configuration/index.ts';
import { type Finding, fail, ok, sentence } from '../../findings/index.ts';

const patience = 5_000;

/** Whether the servers of the platform, or the proxy on the way, take a connection. The key is not tried: that would be a second cluster to the platform. */
export async function checkPlatform(config: Configuration, signal: AbortSignal): Promise<readonly Finding[]> {
  const target = platformTarget(config);
  if (!target) return [ok('platform', 'none is configured: the operator runs on its own')];
  return Promise.all([dial('API server', target.apiServer, signal), dial('event server', target.eventServer, signal)]);
}

async function dial(name: string, server: string, signal: AbortSignal): Promise<Finding> {
  const check = `platform: ${name}`;
  const url = new URL(server);
  const proxy = getProxyForUrl(server.replace(/^ws/, 'http'));
  const way = proxy === '' ? url : new URL(proxy);
  const port = Number(way.port) || (/^(wss|https):$/.test(way.protocol) ? 443 : 80);
  const place = `${way.hostname}:${port}`;
  try {
    await connected(way.hostname.replace(/^\[|\]$/g, ''), port, AbortSignal.any([signal, AbortSignal.timeout(patience)]));
    return ok(check, proxy === '' ? `${place} takes connections` : `the proxy ${place} takes connections`);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error && error.name === 'TimeoutError' ? `no answer within ${patience / 1000} s` : sentence(error);
    return fail(
      check,
      `${place} can't be reached: ${reason}`,
      'Check MO_API_SERVER, MO_EVENT_SERVER, the proxy variables, DNS and the firewall.',
    );
  }
}

function connected(host: string, port: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const end = (then: () => void) => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      then();
    };
    const stop = () => end(() => reject(signal.reason));
    signal.addEventListener('abort', stop);
    socket.once('connect', () => end(resolve));
    socket.once('error', (error) => end(() => reject(error)));
  });
}

/** Whether the folder of the archive can be written. */
export async function checkArchive(config: Configuration): Promise<readonly Finding[]> {
  const folder = config.get('MO_ARCHIVE_PATH');
  if (folder === '') return [];
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return [ok('archive', `${folder} can be written`)];
  } catch (error) {
    return [fail('archive', sentence(error), `Make the folder ${folder}, writable for the user of the operator, or set MO_ARCHIVE_PATH.`)];
  }
}
