import type { Clock, Dispatcher, EventPush, Log, Metrics, Module, Session } from '../../domain/ports/index.ts';
import { handshakeHeaders, type Identity, newId } from '../../domain/wire/index.ts';
import type { TlsTrust } from './link/dial.ts';
import { createPlatformLink, type LinkState, type PlatformLink } from './link/link.ts';
import { createPush } from './push/push.ts';

export interface PlatformOptions {
  /** `ws://` or `wss://`, used as it stands. Without an address there are no links of that kind. */
  readonly apiUrl?: string;
  readonly eventUrl?: string;
  /** How many API links, 1 or more. */
  readonly apiClients: number;
  readonly identity: Identity;
  readonly dispatcher: Dispatcher;
  /** The platform is one client, however many links it has. */
  readonly session: Session;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly tls?: TlsTrust;
  readonly maxFrameBytes?: number;
}

export interface PlatformUpdate {
  readonly apiUrl?: string;
  readonly eventUrl?: string;
  readonly apiKey?: string;
  readonly mfaId?: string;
  readonly clusterName?: string;
}

export interface Platform extends Module {
  readonly push: EventPush;
  /** `job_0`, `job_1`, ..., `events`; empty without a platform. */
  links(): Readonly<Record<string, LinkState>>;
  /** Settings that changed while the process runs. Links reconnect where they must. Throws `ConfigurationInvalid`. */
  update(changed: PlatformUpdate): void;
}

/** All links to the platform and what goes over them. */
export function createPlatform(options: PlatformOptions): Platform {
  const { clock, metrics, log, dispatcher, session } = options;
  let identity = options.identity;
  let started: AbortSignal | undefined;
  let apiLinks: readonly PlatformLink[] = [];
  let eventLink: PlatformLink | undefined;

  const common = {
    headers: () => handshakeHeaders(identity),
    metrics,
    clock,
    log,
    ...(options.tls ? { tls: options.tls } : {}),
    ...(options.maxFrameBytes ? { maxFrameBytes: options.maxFrameBytes } : {}),
  };
  const push = createPush({ send: () => eventLink?.send, newId: () => newId(() => clock.random()), metrics, log: log.component('events') });
  const all = (): readonly PlatformLink[] => [...(eventLink ? [eventLink] : []), ...apiLinks];

  function setApi(url: string): void {
    for (const link of apiLinks) link.updateUrl(url);
    if (apiLinks.length > 0) return;
    apiLinks = Array.from({ length: options.apiClients }, (_, index) =>
      createPlatformLink({ ...common, name: `job_${index}`, url, requests: { dispatcher, session } }),
    );
    if (started) for (const link of apiLinks) void link.start(started);
  }

  function setEvents(url: string): void {
    eventLink?.updateUrl(url);
    if (eventLink) return;
    eventLink = createPlatformLink({ ...common, name: 'events', url });
    if (started) void eventLink.start(started);
  }

  if (options.apiUrl) setApi(options.apiUrl);
  if (options.eventUrl) setEvents(options.eventUrl);
  if (options.tls?.skipVerification) log.warn('certificates of the platform are not verified: MO_SKIP_TLS_VERIFICATION is set');

  return {
    name: 'platform',
    push,
    links: () => Object.fromEntries(all().map((link) => [link.name.replace('platform-', ''), link.state()])),
    update({ apiUrl, eventUrl, apiKey, mfaId, clusterName }) {
      const next = { ...identity, ...(apiKey ? { apiKey } : {}), ...(mfaId ? { mfaId } : {}), ...(clusterName ? { clusterName } : {}) };
      const renamed = next.apiKey !== identity.apiKey || next.mfaId !== identity.mfaId || next.clusterName !== identity.clusterName;
      identity = next;
      if (apiUrl) setApi(apiUrl);
      if (eventUrl) setEvents(eventUrl);
      if (renamed) for (const link of all()) link.updateHeaders();
    },
    async start(signal) {
      started = signal;
      await Promise.all(all().map((link) => link.start(signal)));
    },
    async stop({ deadline }) {
      const begun = clock.monotonic();
      const done = new AbortController();
      // Events that wait go out first, as long as somebody is there to take them.
      if (eventLink?.state().phase === 'connected')
        await Promise.race([push.drain(), clock.sleep(deadline / 2, done.signal).catch(() => undefined)]);
      done.abort();
      const left = Math.max(0, deadline - (clock.monotonic() - begun));
      const stopped = await Promise.all(all().map((link) => link.stop({ deadline: left })));
      return { dropped: [...push.left(), ...stopped.flatMap(({ dropped }) => dropped)] };
    },
  };
}
