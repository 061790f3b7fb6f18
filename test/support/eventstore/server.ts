import { fileURLToPath } from 'node:url';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { z } from 'zod';
import { createStreams, type Kept, maxAppendSize } from './log.ts';
import { appendRequest, appendTooLarge, batchRequest, readRequest, readResponse, wrongExpectedVersion } from './messages.ts';

/** A server that speaks as much of EventStoreDB's published protocol as an archive needs. */
export interface EventStoreDouble {
  readonly port: number;
  readonly url: string;
  /** What it holds: to be looked at, and to be damaged. */
  readonly streams: ReadonlyMap<string, Kept[]>;
  /** Number of calls so far, by method. */
  readonly calls: ReadonlyMap<string, number>;
  /** The next appends are written and their answers lost: the connection breaks instead. */
  loseAnswers(count: number): void;
  /** From now on calls are taken and never answered. */
  hold(): void;
  stop(): void;
  /** On the same port, with what it held. */
  start(): Promise<void>;
}

const definition = loadSync(['streams.proto', 'serverfeatures.proto'], {
  includeDirs: [fileURLToPath(new URL('protos', import.meta.url))],
  keepCase: true,
  longs: String,
  enums: String,
  oneofs: true,
  defaults: true,
});
const service = (name: string) =>
  z.custom<ServiceDefinition>((value) => typeof value === 'object' && value !== null).parse(definition[name]);

/** `batchAppend: false` is a server before 21.10, which knows the single append only. */
export async function eventStoreDouble({
  batchAppend = true,
  token,
}: {
  readonly batchAppend?: boolean;
  readonly token?: string;
} = {}): Promise<EventStoreDouble> {
  const log = createStreams();
  const calls = new Map<string, number>();
  let losing = 0;
  let holding = false;
  let server: Server | undefined;
  let port = 0;
  const count = (method: string) => void calls.set(method, (calls.get(method) ?? 0) + 1);
  const lost = () => losing > 0 && losing-- > 0;
  const denied = (metadata: Metadata) => token !== undefined && String(metadata.get('authorization')[0] ?? '') !== token;
  const refusal = (code: status, exception: string) => {
    const metadata = new Metadata();
    metadata.set('exception', exception);
    return { code, details: exception, metadata };
  };

  const read = (call: ServerWritableStream<unknown, unknown>) => {
    count('read');
    if (holding) return;
    if (denied(call.metadata)) return call.emit('error', refusal(status.PERMISSION_DENIED, 'access-denied'));
    const { stream, read_direction, count: most } = readRequest.parse(call.request).options;
    const found = log.read(stream.name, stream.from, most, read_direction === 'Backwards');
    if (found) for (const { revision, event } of found) call.write(readResponse(stream.name, revision, event));
    else call.write({ stream_not_found: { stream_identifier: { stream_name: Buffer.from(stream.name) } } });
    return call.end();
  };
  const append = (call: ServerReadableStream<unknown, unknown>, answer: sendUnaryData<unknown>) => {
    count('append');
    let options: { stream: string; expected: Parameters<typeof log.append>[1] } | undefined;
    const events: Kept[] = [];
    call.on('data', (message: unknown) => {
      const parsed = appendRequest.parse(message);
      if (parsed.options) options = parsed.options;
      if (parsed.proposed_message) events.push(parsed.proposed_message);
    });
    call.on('end', () => {
      if (holding || !options) return;
      if (denied(call.metadata)) return answer(refusal(status.PERMISSION_DENIED, 'access-denied'));
      const { stream, expected } = options;
      const done = log.append(stream, expected, events);
      if (lost()) return answer({ code: status.UNAVAILABLE, details: 'connection reset' });
      if (done.outcome === 'success') return answer(null, { success: { current_revision: String(done.revision), no_position: {} } });
      if (done.outcome === 'too-large') return answer(refusal(status.INVALID_ARGUMENT, 'maximum-append-size-exceeded'));
      const current = done.current < 0 ? { current_no_stream: {} } : { current_revision: String(done.current) };
      const wanted = typeof expected === 'number' ? { expected_revision: String(expected) } : { expected_no_stream: {} };
      return answer(null, { wrong_expected_version: { ...current, ...wanted } });
    });
  };
  const batch = (call: ServerDuplexStream<unknown, unknown>) => {
    const open = new Map<string, { stream: string; expected: Parameters<typeof log.append>[1]; events: Kept[] }>();
    call.on('error', () => {});
    call.on('end', () => call.end());
    call.on('data', (message: unknown) => {
      const { correlation_id: id, options, proposed_messages, is_final } = batchRequest.parse(message);
      const one = options ? { ...options, events: [] } : open.get(id);
      if (!one) return;
      open.set(id, one);
      one.events.push(...proposed_messages);
      if (!is_final) return;
      open.delete(id);
      count('batchAppend');
      if (holding) return;
      const common = { correlation_id: { string: id }, stream_identifier: { stream_name: Buffer.from(one.stream) } };
      if (denied(call.metadata)) return void call.emit('error', refusal(status.PERMISSION_DENIED, 'access-denied'));
      const done = log.append(one.stream, one.expected, one.events);
      if (lost()) call.emit('error', { code: status.UNAVAILABLE, details: 'connection reset' });
      else if (done.outcome === 'success') call.write({ ...common, success: { current_revision: String(done.revision), no_position: {} } });
      else
        call.write({
          ...common,
          error: done.outcome === 'wrong' ? wrongExpectedVersion(done.current, one.expected) : appendTooLarge(maxAppendSize),
        });
    });
  };
  const features = (_: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>) => {
    count('features');
    if (holding) return;
    const methods = ['read', 'append', ...(batchAppend ? ['batchappend'] : [])];
    answer(null, {
      methods: methods.map((method_name) => ({ method_name, service_name: 'event_store.client.streams.streams', features: [] })),
      event_store_server_version: '23.10.0',
    });
  };

  const start = async () => {
    const fresh = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
    fresh.addService(service('event_store.client.streams.Streams'), { Read: read, Append: append, BatchAppend: batch });
    fresh.addService(service('event_store.client.server_features.ServerFeatures'), { GetSupportedMethods: features });
    port = await new Promise<number>((resolve, reject) =>
      fresh.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
    );
    server = fresh;
  };
  await start();
  return {
    get port() {
      return port;
    },
    get url() {
      return `esdb://127.0.0.1:${port}?tls=false`;
    },
    streams: log.streams,
    calls,
    loseAnswers: (count) => {
      losing = count;
    },
    hold: () => {
      holding = true;
    },
    stop: () => server?.forceShutdown(),
    start,
  };
}
