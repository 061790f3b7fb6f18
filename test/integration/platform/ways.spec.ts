import { connect, createServer, type Server, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createFakeClock } from '../../support/fake-clock/index.ts';
import { type Pair, startPair, until } from '../../support/platform/index.ts';

let pair: Pair;
const more: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await pair.stop();
  for (const end of more.splice(0)) await end();
  vi.unstubAllEnvs();
});

let papers: { readonly key: string; readonly cert: string };
beforeAll(async () => {
  const made = await generate([{ name: 'commonName', value: 'platform.test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'platform.test' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  papers = { key: made.private, cert: made.cert };
});

interface ConnectProxy {
  readonly url: string;
  /** The heads of the CONNECT requests. */
  readonly heads: readonly string[];
}

/** Leads every CONNECT to this machine, whatever the name: what is dialled by name can only have come this way. */
async function startConnectProxy(answers = true): Promise<ConnectProxy> {
  const heads: string[] = [];
  const open = new Set<Socket>();
  const server: Server = createServer((near) => {
    open.add(near);
    near.on('error', () => undefined);
    near.once('data', (head) => {
      heads.push(head.toString());
      if (!answers) return;
      const port = /^CONNECT [^:]+:(\d+) /.exec(head.toString())?.[1];
      const far = connect(Number(port), '127.0.0.1', () => {
        near.write('HTTP/1.1 200 OK\r\n\r\n');
        near.pipe(far).pipe(near);
      });
      far.on('error', () => near.destroy());
      near.once('close', () => far.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  more.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of open) socket.destroy();
      }),
  );
  const address = server.address();
  return { url: `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, heads };
}

const named = (url: string) => url.replace('127.0.0.1', 'platform.test');

describe('a proxy in the environment', () => {
  it('is used for ws through HTTP_PROXY, with its password', async () => {
    const proxy = await startConnectProxy();
    vi.stubEnv('HTTP_PROXY', `http://ann:p%40ss@${proxy.url}`);
    pair = await startPair(systemClock, { apiUrl: '', eventUrl: '', apiClients: 1 });
    pair.platform.update({ apiUrl: named(pair.standIn.apiUrl) });
    await pair.standIn.connected('api', 1);
    expect((await pair.standIn.send('p', 1)).datagram.payload).toEqual({ status: 'success', data: 1 });
    expect(proxy.heads[0]).toMatch(/^CONNECT platform\.test:\d+ HTTP\/1\.1\r\n/);
    // ann:p@ss
    expect(proxy.heads[0]).toContain('Proxy-Authorization: Basic YW5uOnBAc3M=\r\n');
    // The key of the platform is not the proxy's business.
    expect(proxy.heads[0]).not.toContain('key-1');
  });

  it('is used for wss through HTTPS_PROXY, and the certificate is that of the platform', async () => {
    const proxy = await startConnectProxy();
    vi.stubEnv('https_proxy', `http://${proxy.url}`);
    pair = await startPair(systemClock, {
      apiUrl: '',
      eventUrl: '',
      apiClients: 1,
      peer: { tls: papers },
      tls: { extraAuthorities: [papers.cert] },
    });
    pair.platform.update({ apiUrl: named(pair.standIn.apiUrl) });
    await pair.standIn.connected('api', 1);
    expect((await pair.standIn.send('p', 1)).datagram.payload).toEqual({ status: 'success', data: 1 });
    expect(proxy.heads.length).toBe(1);
  });

  it('is left out for hosts of NO_PROXY and for this machine', async () => {
    const proxy = await startConnectProxy();
    vi.stubEnv('HTTP_PROXY', `http://${proxy.url}`);
    vi.stubEnv('NO_PROXY', 'example.org,.test');
    pair = await startPair(systemClock, { eventUrl: '', apiClients: 1 });
    await pair.standIn.connected('api', 1);
    pair.platform.update({ eventUrl: named(pair.standIn.eventUrl) });
    await until(() => pair.platform.links().events?.phase === 'waiting');
    expect(proxy.heads).toEqual([]);
  });

  it('that accepts and says nothing is given up after 45 s', async () => {
    const fake = createFakeClock();
    const proxy = await startConnectProxy(false);
    vi.stubEnv('HTTP_PROXY', `http://${proxy.url}`);
    pair = await startPair(fake, { apiUrl: 'ws://platform.test/', eventUrl: '', apiClients: 1 });
    await until(() => proxy.heads.length === 1);
    await fake.advance(45_000);
    await until(() => pair.platform.links().job_0?.phase === 'waiting');
    expect(pair.platform.links().job_0?.reason).toBe('no handshake within 45 s');
  });

  it('of a kind nobody speaks is named as the reason', async () => {
    vi.stubEnv('ALL_PROXY', 'socks5://127.0.0.1:1');
    pair = await startPair(createFakeClock(), { apiUrl: 'ws://platform.test/', eventUrl: '', apiClients: 1 });
    await until(() => pair.platform.links().job_0?.phase === 'waiting');
    expect(pair.platform.links().job_0?.reason).toBe('the proxy of the environment is no http or https URL');
  });
});

describe('certificates', () => {
  it('of an unknown authority are refused', async () => {
    pair = await startPair(createFakeClock(), { apiClients: 1, peer: { tls: papers } });
    await until(() => pair.platform.links().job_0?.phase === 'waiting');
    expect(pair.platform.links().job_0?.reason).toMatch(/^self-signed certificate/);
    expect(pair.standIn.connections).toEqual([]);
  });

  it('of an authority that was added are accepted', async () => {
    pair = await startPair(systemClock, { apiClients: 1, peer: { tls: papers }, tls: { extraAuthorities: [papers.cert] } });
    await pair.standIn.connected('api', 1);
    await pair.standIn.connected('events', 1);
  });

  it('of anybody are accepted when verification is off, and the log says so', async () => {
    pair = await startPair(systemClock, { apiClients: 1, peer: { tls: papers }, tls: { skipVerification: true } });
    await pair.standIn.connected('api', 1);
    await pair.standIn.connected('events', 1);
    expect(pair.log.lines[0]).toBe('warn certificates of the platform are not verified: MO_SKIP_TLS_VERIFICATION is set');
  });
});

describe('a platform that says no', () => {
  it('is asked again with the new key as soon as there is one', async () => {
    const fake = createFakeClock();
    pair = await startPair(fake, { apiClients: 1, peer: { apiKey: 'key-2' } });
    await until(() => pair.platform.links().job_0?.phase === 'waiting' && pair.platform.links().events?.phase === 'waiting');
    expect(pair.platform.links().job_0?.reason).toBe('Unexpected server response: 401');
    pair.platform.update({ apiKey: 'key-2' });
    await pair.standIn.connected('api', 1);
    await pair.standIn.connected('events', 1);
    expect(pair.log.lines.join('\n')).not.toMatch(/key-[12]/);
  });
});
