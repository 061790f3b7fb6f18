/** What EventStoreDB keeps of an event. */
export interface Kept {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly customMetadata: Buffer;
  data: Buffer;
}

export type Expected = 'any' | 'no-stream' | 'exists' | number;

export type AppendAnswer =
  | { readonly outcome: 'success'; readonly revision: number }
  | { readonly outcome: 'wrong'; readonly current: number }
  | { readonly outcome: 'too-large' };

/** The server's default `MaxAppendSize`. */
export const maxAppendSize = 1_048_576;

/**
 * Streams with the rules of EventStoreDB for expected revisions: an append whose events already stand right behind the expected revision is
 * answered as the first time and not written again; one of which a part stands there is refused.
 */
export function createStreams() {
  const streams = new Map<string, Kept[]>();
  const stand = (stream: readonly Kept[], from: number, events: readonly Kept[]) =>
    events.length > 0 && events.every(({ id }, n) => stream[from + n]?.id === id);

  return {
    streams,
    append(name: string, expected: Expected, events: readonly Kept[]): AppendAnswer {
      if (events.reduce((sum, { data, customMetadata }) => sum + data.length + customMetadata.length, 0) > maxAppendSize)
        return { outcome: 'too-large' };
      const stream = streams.get(name) ?? [];
      const current = stream.length - 1;
      const write = (): AppendAnswer => {
        streams.set(name, [...stream, ...events]);
        return { outcome: 'success', revision: current + events.length };
      };
      if (expected === 'exists') return current >= 0 ? write() : { outcome: 'wrong', current };
      if (expected === 'any') {
        const known = stream.findIndex(({ id }) => id === events[0]?.id);
        return known >= 0 && stand(stream, known, events) ? { outcome: 'success', revision: known + events.length - 1 } : write();
      }
      const behind = expected === 'no-stream' ? -1 : expected;
      if (behind === current) return write();
      return stand(stream, behind + 1, events) ? { outcome: 'success', revision: behind + events.length } : { outcome: 'wrong', current };
    },
    /** Undefined when there is no such stream. */
    read(
      name: string,
      from: number | 'start' | 'end',
      count: number,
      backwards: boolean,
    ): readonly { readonly revision: number; readonly event: Kept }[] | undefined {
      const stream = streams.get(name);
      if (!stream) return undefined;
      const found: { revision: number; event: Kept }[] = [];
      const step = backwards ? -1 : 1;
      let at = from === 'start' ? 0 : from === 'end' ? stream.length - 1 : Math.min(from, backwards ? stream.length - 1 : from);
      for (; found.length < count; at += step) {
        const event = stream[at];
        if (!event) break;
        found.push({ revision: at, event });
      }
      return found;
    },
  };
}
