import type { AppendResult, EventData, EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client';
import { ArchiveUnavailable, type OperatorError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports/index.ts';

export interface ConnectionOptions {
  /** `esdb://user:password@host:2113?tls=false`. */
  readonly url: string;
  readonly clock: Clock;
  /** Milliseconds for one call. Default 30 s. */
  readonly timeout?: number;
}

/** What an append expects: the revision of the stream's last event, -1 when there is none yet. */
export type Revision = number;

export interface Connection {
  /** What it is and where, without the password. */
  readonly name: string;
  /** All events or none behind `expected`. False when the stream's end is elsewhere. */
  append(stream: string, events: readonly NewRecord[], expected: Revision): Promise<boolean>;
  /** Adds events wherever the stream ends, and returns the last one's revision. */
  add(stream: string, events: readonly NewRecord[]): Promise<Revision>;
  /** Events from a revision on, at most `count`; none when the stream does not exist. */
  page(stream: string, from: Revision, count: number): Promise<readonly StoredRecord[]>;
  last(stream: string): Promise<StoredRecord | undefined>;
  close(): Promise<void>;
}

export type NewRecord = { readonly id: string; readonly type: string } & ({ readonly json: object } | { readonly bytes: Buffer });
export interface StoredRecord {
  readonly id: string;
  readonly revision: Revision;
  readonly content: { readonly json: unknown } | { readonly bytes: Uint8Array };
}

const urlForm = /^(esdb(?:\+discover)?):\/\/(?:[^@/?]*@)?([^/?@]+)/;

/** A client that connects at the first call. Its library is loaded then too: a process without an EventStoreDB never pays for it. */
export function createConnection({ url, clock, timeout = 30_000 }: ConnectionOptions): Connection {
  const where = urlForm.exec(url)?.[2];
  // The value itself is a secret: it must not stand in the message.
  if (where === undefined) throw new TypeError('an EventStoreDB is named as esdb://user:password@host:2113 or esdb+discover://…');
  const name = `in EventStoreDB at ${where}`;
  const failed = (reason: string, cause?: unknown): OperatorError => ArchiveUnavailable({ archive: name, reason }, cause);
  let client: Promise<EventStoreDBClient> | undefined;

  const connect = async (): Promise<EventStoreDBClient> => {
    const { EventStoreDBClient: Client } = await import('@eventstore/db-client');
    try {
      return Client.connectionString(url);
    } catch {
      // The library puts the whole string, with the password, into its error.
      throw failed('the connection string is not understood');
    }
  };
  const dispose = async (): Promise<void> => {
    const open = client;
    client = undefined;
    await (await open?.catch(() => undefined))?.dispose();
  };
  /** The library's appends have no deadline of their own once the stream to the server stands: a silent server would hold them for ever. */
  const call = async <T>(work: (client: EventStoreDBClient) => Promise<T>): Promise<T> => {
    client ??= connect();
    const done = new AbortController();
    const late = clock.sleep(timeout, done.signal).then(() => Promise.reject(failed(`no answer within ${timeout / 1000} s`)));
    late.catch(() => undefined);
    const working = client.then(work);
    try {
      return await Promise.race([working, late]);
    } catch (error) {
      working.catch(() => undefined);
      if (ArchiveUnavailable.is(error)) {
        await dispose();
        throw error;
      }
      if (typeOf(error) !== undefined) throw error;
      throw failed(error instanceof Error ? error.message : String(error), error);
    } finally {
      done.abort();
    }
  };
  /** Errors that mean something to us are answers; all others say that the archive can't be used now. */
  const answered = async <T>(work: Promise<T>, type: string, answer: T): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      const found = typeOf(error);
      if (found === type) return answer;
      if (found === undefined) throw error;
      throw failed(sentences[found] ?? (error instanceof Error ? error.message : found), error);
    }
  };

  const send = async (stream: string, events: readonly NewRecord[], expected: Revision | 'any'): Promise<AppendResult | undefined> => {
    const { binaryEvent, jsonEvent, NO_STREAM } = await import('@eventstore/db-client');
    const data = events.map(
      (event): EventData =>
        'bytes' in event
          ? binaryEvent({ id: event.id, type: event.type, data: event.bytes })
          : jsonEvent({ id: event.id, type: event.type, data: { ...event.json } }),
    );
    const expectedRevision = expected === 'any' ? 'any' : expected < 0 ? NO_STREAM : BigInt(expected);
    return answered<AppendResult | undefined>(
      call((open) => open.appendToStream(stream, data, { expectedRevision })),
      'wrong-expected-version',
      undefined,
    );
  };
  const read = (stream: string, how: { readonly from: Revision | 'end'; readonly count: number }) =>
    answered<readonly StoredRecord[]>(
      call(async (open) => {
        const found: StoredRecord[] = [];
        const options =
          how.from === 'end' ? ({ direction: 'backwards', fromRevision: 'end' } as const) : { fromRevision: BigInt(how.from) };
        for await (const event of open.readStream(stream, { ...options, maxCount: how.count, deadline: timeout }))
          found.push(...stored(event));
        return found;
      }),
      'stream-not-found',
      [],
    );

  return {
    name,
    append: async (stream, events, expected) => (await send(stream, events, expected))?.success === true,
    async add(stream, events) {
      const answer = await send(stream, events, 'any');
      if (!answer) throw failed(`nothing can be added to ${stream}`);
      return Number(answer.nextExpectedRevision);
    },
    page: (stream, from, count) => read(stream, { from, count }),
    last: async (stream) => (await read(stream, { from: 'end', count: 1 }))[0],
    close: dispose,
  };
}

function stored({ event }: ResolvedEvent): readonly StoredRecord[] {
  if (!event) return [];
  const { id, revision } = event;
  return [{ id, revision: Number(revision), content: event.isJson ? { json: event.data } : { bytes: event.data } }];
}

const typeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'type' in error && typeof error.type === 'string' ? error.type : undefined;

const sentences: Readonly<Record<string, string>> = {
  'access-denied': 'the user may not do that: it needs to read and write streams that begin with mogenius-',
  'maximum-append-size-exceeded': 'an event is larger than its MaxAppendSize: raise that setting of the server',
  'stream-deleted': 'a stream of the archive was deleted for good',
};
