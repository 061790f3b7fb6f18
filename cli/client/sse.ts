/** One message of a stream of server-sent events. */
export interface ServerMessage {
  readonly event: string;
  /** Empty for a sign of life that only tells where the stream stands. */
  readonly data: string;
  readonly id?: string;
}

/** Longest message, characters. */
const longest = 8 * 1024 * 1024;

/** Reads server-sent events as the HTML standard describes them. A half message at the end of the stream is dropped. Throws when one is too long. */
export async function* serverMessages(body: ReadableStream<Uint8Array>): AsyncIterable<ServerMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields: { event: string; data: string[]; id?: string } = { event: 'message', data: [] };
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > longest) throw new RangeError(`a message of the stream is longer than ${longest} characters`);
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (fields.data.length > 0 || fields.id !== undefined)
          yield { event: fields.event, data: fields.data.join('\n'), ...(fields.id === undefined ? {} : { id: fields.id }) };
        fields = { event: 'message', data: [] };
        continue;
      }
      const [, name, value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
      if (name === 'data') fields.data.push(value);
      else if (name === 'event') fields.event = value;
      else if (name === 'id') fields.id = value;
    }
  }
}
