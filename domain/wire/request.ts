import type { Actor } from '../event/index.ts';
import type { Request } from '../ports/index.ts';
import type { Datagram, DatagramUser } from './datagram.ts';

/** Who asks, on what kind of link. `user.source` of the wire becomes `origin`: here `source` tells how the request came in. */
export function actorOf(user: DatagramUser | undefined, source: Actor['source']): Actor {
  if (!user) return { source };
  const { source: origin, apiKey, ...who } = user;
  return {
    source,
    ...who,
    ...(origin ? { origin } : {}),
    ...(apiKey && (apiKey.id || apiKey.name) ? { apiKey } : {}),
  };
}

/** The datagram as what the dispatcher takes. `receivedAt` is epoch ms. */
export function datagramToRequest(datagram: Datagram, receivedAt: number, source: Actor['source'] = 'platform'): Request {
  return {
    id: datagram.id,
    pattern: datagram.pattern,
    payload: datagram.payload,
    actor: actorOf(datagram.user, source),
    ...(datagram.workspace ? { workspace: datagram.workspace } : {}),
    receivedAt,
  };
}
