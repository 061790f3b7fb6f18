import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Events, watchLines } from './watch-lines.ts';

const data = z.string().optional();
const config = z.object({
  clusters: z.array(
    z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': data, 'certificate-authority': data }) }),
  ),
  users: z.array(
    z.object({
      user: z.object({
        token: data,
        'client-certificate-data': data,
        'client-key-data': data,
        'client-certificate': data,
        'client-key': data,
      }),
    }),
  ),
});

export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

export interface Sending {
  /** Printed as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  readonly type?: string;
  readonly accept?: string;
  /** Replaces the credentials: `none` sends nothing. */
  readonly authorization?: string;
}

/** An API server as a kubeconfig names it, spoken to without any client library: the wire itself is what is compared. */
export interface Peer {
  readonly server: string;
  call(method: string, path: string, sending?: Sending): Promise<Reply>;
  watch(path: string): Promise<Events>;
  close(): Promise<void>;
}

/** `text` is the YAML of a kubeconfig; its first cluster and first user are taken. */
export function peerOf(text: string): Peer {
  const { clusters, users } = config.parse(parse(text));
  const [cluster, user] = [clusters[0]?.cluster, users[0]?.user ?? {}];
  if (!cluster) throw new Error('the kubeconfig names no cluster');
  const pem = (inline?: string, file?: string) =>
    inline ? Buffer.from(inline, 'base64').toString('utf8') : file ? readFileSync(file, 'utf8') : undefined;
  const ca = pem(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const cert = pem(user['client-certificate-data'], user['client-certificate']);
  const key = pem(user['client-key-data'], user['client-key']);
  const known = new Agent({ connect: { ca, cert, key } });
  const nobody = new Agent({ connect: { ca } });
  const token = user.token === undefined ? undefined : `Bearer ${user.token}`;
  const open: Events[] = [];

  const send = (method: string, path: string, { body, text: sent, type, accept, authorization }: Sending = {}) => {
    const own = authorization === undefined ? token : authorization === 'none' ? undefined : authorization;
    const headers = {
      'user-agent': 'contract/1',
      ...(own === undefined ? {} : { authorization: own }),
      ...(accept === undefined ? {} : { accept }),
      ...(body === undefined && sent === undefined ? {} : { 'content-type': type ?? 'application/json' }),
    };
    const payload = sent ?? (body === undefined ? undefined : JSON.stringify(body));
    return request(`${cluster.server}${path}`, {
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']).parse(method),
      headers,
      ...(payload === undefined ? {} : { body: payload }),
      dispatcher: authorization === undefined ? known : nobody,
    });
  };

  return {
    server: cluster.server,
    async call(method, path, sending) {
      const { statusCode, headers, body } = await send(method, path, sending);
      return { status: statusCode, type: String(headers['content-type'] ?? ''), headers, body: parsed(await body.text()) };
    },
    async watch(path) {
      const { body } = await send('GET', path);
      const events = watchLines(body);
      open.push(events);
      return events;
    },
    async close() {
      for (const events of open) events.close();
      await Promise.all([known.destroy(), nobody.destroy()]);
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
