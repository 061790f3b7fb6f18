import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import type { Clock, Module } from '../../domain/ports/index.ts';
import { Lifecycle } from './api/lifecycle.ts';
import type { User } from './api/reviews.ts';
import { World } from './api/world.ts';
import type { Json } from './model/json.ts';
import { Access } from './server/access.ts';
import { type Certificates, makeCertificates } from './server/certificates.ts';
import type { Fault } from './server/faults.ts';
import { Listener } from './server/listener.ts';
import type { SeenRequest } from './server/seen.ts';
import { Api } from './server/serve.ts';

export interface SandboxOptions {
  readonly clock: Clock;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** HTTPS with an authority made at start; default true. */
  readonly tls?: boolean;
  /** Bearer token of the kubeconfig; default a random one. */
  readonly token?: string;
  /** Changes that are remembered for watches and older lists; what is older is compacted. Default 20,000. */
  readonly historyLimit?: number;
  /** Milliseconds between bookmarks of a watch; default a minute, as the real server. */
  readonly bookmarkInterval?: number;
  /** Bytes a watch may be behind before it is cut off; default 16 MiB. */
  readonly watchBuffer?: number;
  /** Where the global resource version begins; default 1,000, so that 1 is as old as on a real server. */
  readonly firstResourceVersion?: number;
}

/** What a test or the demo can do to the server. */
export interface SandboxControl {
  /** Forgets all changes so far: watches and pages of older versions get 410. */
  compact(): void;
  /** Holds every request, like a stopped process: connections stay, nothing is answered. */
  pause(): void;
  resume(): void;
  /** Cuts every connection with a reset. */
  dropConnections(): void;
  /** Refuses connections until `accept`; the objects stay. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** The next fitting requests fail. */
  failNext(fault?: Fault): void;
  clearFaults(): void;
  /** Sends a bookmark to every watch that asked for them. */
  bookmark(): void;
  /** The token of the kubeconfig from now on; the old one gets 401. */
  rotateToken(token: string): void;
  /** A token that TokenReview and the server know as somebody. */
  admit(token: string, user: User): void;
  /** The newest 1,000 to 2,000 requests, oldest first. */
  requests(): readonly SeenRequest[];
  /** Requests since the start. */
  requestCount(): number;
  watches(): number;
  resourceVersion(): number;
  /** Objects per `group/plural`. */
  counts(): Readonly<Record<string, number>>;
}

export interface Sandbox extends Module {
  /** `https://127.0.0.1:PORT`. Known once it is started. */
  readonly url: string;
  /** YAML with authority and credentials: the token, or the client certificate. Known once it is started. */
  kubeconfig(how?: { readonly user?: 'token' | 'certificate' }): string;
  readonly control: SandboxControl;
}

const firstNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** An API server in this process, with the behaviour of the real one for what the operator uses. Everything is in memory. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { clock, port = 0, tls = true, token = randomBytes(24).toString('base64url'), historyLimit = 20_000 } = options;
  if (!Number.isInteger(historyLimit) || historyLimit < 1) throw new RangeError('historyLimit must be a whole number above 0');
  const access = new Access(token);
  const world = new World({ clock, historyLimit, firstResourceVersion: options.firstResourceVersion ?? 1_000 });
  const api = new Api(world, { tokens: access.userOf, address: () => listening().url.replace(/^https?:\/\//, '') });
  const lifecycle = new Lifecycle(world, api.objects, api.deletion);
  let listener: Listener | undefined;
  let certificates: Certificates | undefined;

  const listening = (): Listener => {
    if (!listener) throw new Error('the sandbox is not started');
    return listener;
  };
  lifecycle.unserved = (kind) => listener?.endWatches(kind);

  const control: SandboxControl = {
    compact: () => world.store.compact(),
    pause: () => listening().pause(),
    resume: () => listening().resume(),
    dropConnections: () => listening().dropConnections(),
    refuse: () => listening().close(),
    accept: () => listening().listen(),
    failNext: (fault = {}) => listening().faults.add(fault),
    clearFaults: () => listening().faults.clear(),
    bookmark: () => {
      for (const watch of listening().watches) watch.bookmark();
    },
    rotateToken: (next) => access.rotate(next),
    admit: (other, user) => access.admit(other, user),
    requests: () => listening().seen.all(),
    requestCount: () => listening().seen.total,
    watches: () => listener?.watches.size ?? 0,
    resourceVersion: () => world.store.revision,
    counts: () => world.store.counts(),
  };

  return {
    name: 'sandbox',
    control,
    get url() {
      return listening().url;
    },
    kubeconfig: ({ user = 'token' } = {}) => kubeconfig(listening().url, certificates, user === 'token' ? access.token : undefined),
    async start(signal) {
      signal.throwIfAborted();
      if (tls) certificates = await makeCertificates(clock.now());
      listener = new Listener(world, api, access, {
        port,
        ...(certificates ? { certificates } : {}),
        bookmarkInterval: options.bookmarkInterval ?? 60_000,
        watchBuffer: options.watchBuffer ?? 16 * 1_024 * 1_024,
      });
      createNamespaces(world, api);
      await listener.listen();
    },
    async stop() {
      world.close();
      await listener?.close();
      return { dropped: [] };
    },
  };
}

function createNamespaces(world: World, api: Api): void {
  const kind = world.registry.find('v1', 'namespaces');
  if (!kind) return;
  const how = { dryRun: false, bytes: 0, manager: 'kube-apiserver', subresource: '', validation: 'Ignore', warn: () => {} } as const;
  for (const name of firstNamespaces) {
    if (world.store.get('/namespaces', `/${name}`)) continue;
    const body: Json = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    api.objects.create(kind, '', body, how);
  }
}

function kubeconfig(server: string, certificates: Certificates | undefined, token: string | undefined): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const user =
    token === undefined && certificates
      ? { 'client-certificate-data': base64(certificates.client.cert), 'client-key-data': base64(certificates.client.key) }
      : { token: token ?? '' };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'sandbox', cluster: { server, ...(certificates ? { 'certificate-authority-data': base64(certificates.ca) } : {}) } },
    ],
    users: [{ name: 'admin', user }],
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'admin' } }],
    'current-context': 'sandbox',
  });
}
