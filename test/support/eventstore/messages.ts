import { z } from 'zod';
import type { Expected, Kept } from './log.ts';

const bytes = z.instanceof(Uint8Array).transform((value) => Buffer.from(value));
const uuid = z.object({ string: z.string() }).transform(({ string }) => string);
const identifier = z.object({ stream_name: bytes }).transform(({ stream_name }) => stream_name.toString('utf8'));
const number = z.string().transform(Number);

const proposed = z
  .object({ id: uuid, metadata: z.record(z.string(), z.string()), custom_metadata: bytes, data: bytes })
  .transform(({ id, metadata, custom_metadata, data }): Kept => ({ id, metadata, customMetadata: custom_metadata, data }));

/** Which field of a oneof was sent decides. */
const expectation = (kind: string | undefined, revision: number | undefined): Expected => {
  if (kind === 'no_stream') return 'no-stream';
  if (kind === 'stream_exists') return 'exists';
  return kind === 'any' || revision === undefined ? 'any' : revision;
};

export const appendRequest = z.object({
  options: z
    .object({ stream_identifier: identifier, expected_stream_revision: z.string().optional(), revision: number.optional() })
    .transform((o) => ({ stream: o.stream_identifier, expected: expectation(o.expected_stream_revision, o.revision) }))
    .nullish(),
  proposed_message: proposed.nullish(),
});

export const batchRequest = z.object({
  correlation_id: uuid,
  options: z
    .object({ stream_identifier: identifier, expected_stream_position: z.string().optional(), stream_position: number.optional() })
    .transform((o) => ({ stream: o.stream_identifier, expected: expectation(o.expected_stream_position, o.stream_position) }))
    .nullish(),
  proposed_messages: z.array(proposed),
  is_final: z.boolean(),
});

export const readRequest = z.object({
  options: z.object({
    stream: z
      .object({ stream_identifier: identifier, revision_option: z.string().optional(), revision: number.optional() })
      .transform((o) => ({ name: o.stream_identifier, from: o.revision_option === 'end' ? 'end' : (o.revision ?? 'start') }) as const),
    read_direction: z.enum(['Forwards', 'Backwards']),
    count: number,
  }),
});

export const readResponse = (stream: string, revision: number, { id, metadata, customMetadata, data }: Kept) => ({
  event: {
    event: {
      id: { string: id },
      stream_identifier: { stream_name: Buffer.from(stream) },
      stream_revision: String(revision),
      prepare_position: '0',
      commit_position: '0',
      // Ticks of 100 ns, as the server counts.
      metadata: { ...metadata, created: '17672256000000000' },
      custom_metadata: customMetadata,
      data,
    },
    no_position: {},
  },
});

/** A number as protobuf's varint. */
function varint(value: number): number[] {
  const found: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) found.push((rest % 128) | 128);
  return [...found, rest];
}

const packed = (type: string, value: readonly number[]) => ({
  code: 0,
  message: type,
  details: { type_url: `type.googleapis.com/event_store.client.${type}`, value: Buffer.from(value) },
});

/** `WrongExpectedVersion`: current revision (1) or none (2), expected (3), any (4), exists (5), none (6). */
export function wrongExpectedVersion(current: number, expected: Expected) {
  const now = current < 0 ? [0x12, 0] : [0x08, ...varint(current)];
  const wanted =
    expected === 'any' ? [0x22, 0] : expected === 'exists' ? [0x2a, 0] : expected === 'no-stream' ? [0x32, 0] : [0x18, ...varint(expected)];
  return packed('WrongExpectedVersion', [...now, ...wanted]);
}

export const appendTooLarge = (most: number) => packed('MaximumAppendSizeExceeded', [0x08, ...varint(most)]);
