import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { User } from '../api/reviews.ts';
import type { Registry } from '../kinds/registry.ts';
import { Refusal, unauthorized } from '../model/status.ts';
import { route } from './route.ts';

const admin: User = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
const anonymous: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
const open = ['/version', '/readyz', '/livez', '/healthz'];

/** Who is let in: holders of the token, and of a client certificate of the sandbox's own authority. */
export class Access {
  private readonly users = new Map<string, User>();
  private own: string;

  constructor(token: string) {
    this.own = token;
    this.users.set(token, admin);
  }

  /** The token of the kubeconfig. */
  get token(): string {
    return this.own;
  }

  /** From now on only the new token is the operator's: the old one gets 401. */
  rotate(token: string): void {
    this.users.delete(this.own);
    this.own = token;
    this.users.set(token, admin);
  }

  /** A further caller, for TokenReview. */
  admit(token: string, user: User): void {
    this.users.set(token, user);
  }

  userOf = (token: string): User | undefined => this.users.get(token);

  /** Throws 401 for wrong credentials, 403 for none. */
  user(request: IncomingMessage, registry: Registry): User {
    const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ');
    if (scheme?.toLowerCase() === 'bearer') {
      const found = this.users.get(token);
      if (!found) throw unauthorized();
      return found;
    }
    if (request.socket instanceof TLSSocket && request.socket.authorized) return admin;
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (open.some((path) => url.pathname === path || url.pathname.startsWith(`${path}/`))) return anonymous;
    throw nobody(request.method ?? 'GET', url, registry);
  }
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

function nobody(method: string, url: URL, registry: Registry): Refusal {
  const at = route(registry, url.pathname);
  if (at.is !== 'object' && at.is !== 'collection') {
    const verb = verbs[method] ?? 'get';
    return new Refusal(403, 'Forbidden', `forbidden: User "system:anonymous" cannot ${verb} path ${JSON.stringify(url.pathname)}`, {});
  }
  const { kind } = at;
  const reading = at.is === 'object' ? 'get' : url.searchParams.has('watch') ? 'watch' : 'list';
  const verb = method === 'GET' ? reading : (verbs[method] ?? 'get');
  const name = at.is === 'object' ? at.name : '';
  const subject = `${kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`}${name === '' ? '' : ` ${JSON.stringify(name)}`}`;
  const scope = at.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(at.namespace)}`;
  const text = `${subject} is forbidden: User "system:anonymous" cannot ${verb} resource "${kind.plural}" in API group "${kind.group}" ${scope}`;
  return new Refusal(403, 'Forbidden', text, {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
  });
}
