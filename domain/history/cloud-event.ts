import { z } from 'zod';
import { type Actor, actor, type Position, type RecordedEvent, type StreamName } from '../event/index.ts';

/** CloudEvents 1.0, JSON format: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** The stream. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** `urn:mogenius:event:<type>:<version>` */
  readonly dataschema: string;
  readonly data: unknown;
  readonly position: string;
  readonly version: number;
  readonly commandid?: string;
  readonly causationid?: string;
  readonly correlationid?: string;
  readonly actor?: Actor;
}

const schemaPrefix = 'urn:mogenius:event:';

export function toCloudEvent(event: RecordedEvent): CloudEvent {
  const { id, source, type, stream, time, schema, data, position, version, commandid, causationid, correlationid, actor } = event;
  return {
    specversion: '1.0',
    id,
    source,
    type,
    subject: stream,
    time,
    datacontenttype: 'application/json',
    dataschema: `${schemaPrefix}${type}:${schema}`,
    data,
    position,
    version,
    ...(commandid === undefined ? {} : { commandid }),
    ...(causationid === undefined ? {} : { causationid }),
    ...(correlationid === undefined ? {} : { correlationid }),
    ...(actor === undefined ? {} : { actor }),
  };
}

/** The event as one line of JSON, without the line feed. Hashes are over this text: its form never changes. */
export const eventLine = (event: RecordedEvent): string => JSON.stringify(toCloudEvent(event));

/** Numbers without leading zeros: the text must come out again as it was. */
const positionForm = /^(?:0|[1-9]\d{0,15})-(?:0|[1-9]\d{0,15})$/;

const text = z.string().min(1).max(2048);

/** Checked but not rebuilt: a key that moves or goes would change the line, and with it the hash. */
const anyActor = z.custom<Actor>((value) => actor.safeParse(value).success, 'not an actor');

/** A CloudEvent that came from outside, as the event it was made from. */
export const cloudEvent = z
  .object({
    specversion: z.literal('1.0'),
    id: text,
    source: text,
    type: text,
    subject: z.custom<StreamName>((value) => typeof value === 'string' && value.length <= 2048 && value.includes('/'), 'not a stream'),
    time: text,
    dataschema: z.string().regex(/:\d{1,6}$/),
    data: z.unknown(),
    position: z.custom<Position>((value) => typeof value === 'string' && positionForm.test(value), 'not a position'),
    version: z.int().min(1),
    commandid: text.optional(),
    causationid: text.optional(),
    correlationid: text.optional(),
    actor: anyActor.optional(),
  })
  .transform(({ specversion: _, dataschema, subject, commandid, causationid, correlationid, actor, ...rest }): RecordedEvent => {
    const event = { ...rest, data: rest.data, stream: subject, schema: Number(dataschema.slice(dataschema.lastIndexOf(':') + 1)) };
    if (commandid === undefined && causationid === undefined && correlationid === undefined && actor === undefined) return event;
    return {
      ...event,
      ...(commandid === undefined ? {} : { commandid }),
      ...(causationid === undefined ? {} : { causationid }),
      ...(correlationid === undefined ? {} : { correlationid }),
      ...(actor === undefined ? {} : { actor }),
    };
  });
