import { connect, type Socket } from 'node:net';

export interface StreamMessage {
  readonly event: string;
  readonly id?: string;
  readonly data: string;
  /** The text after the colon of a comment. */
  readonly comment?: string;
}

export interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  /** The next message or comment; undefined at the end. */
  next(): Promise<StreamMessage | undefined>;
  close(): void;
}

/** Reads server-sent events one after the other, comments too. */
export async function openStream(url: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenStream> {
  const closing = new AbortController();
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: closing.signal });
  const messages = blocks(response.body);
  return {
    status: response.status,
    headers: response.headers,
    next: async () => {
      const { value, done } = await messages.next();
      return done ? undefined : value;
    },
    close: () => closing.abort(),
  };
}

async function* blocks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<StreamMessage> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const found = text.split('\n\n');
    text = found.pop() ?? '';
    for (const block of found) if (!block.startsWith('retry:')) yield messageOf(block);
  }
}

function messageOf(block: string): StreamMessage {
  const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  const id = fields.get('id');
  const comment = fields.get('');
  return {
    event: fields.get('event') ?? 'message',
    data: fields.get('data') ?? '',
    ...(id === undefined ? {} : { id }),
    ...(comment === undefined ? {} : { comment }),
  };
}

/** A client that asks and then reads nothing until it is told to. */
export function openUnread(port: number, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`, () => resolve(socket));
    });
    socket.once('error', reject);
  });
}
