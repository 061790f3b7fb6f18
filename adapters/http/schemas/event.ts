import { z } from 'zod';
import { actor, type Position, parsePosition, type RecordedEvent } from '../../../domain/event/index.ts';

/** A CloudEvent 1.0 in its JSON form, with our attributes beside the standard ones. */
export const cloudEvent = z.object({
  specversion: z.literal('1.0'),
  id: z.string().describe('The same again when the same append is repeated.'),
  source: z.string().describe('/clusters/<cluster id>'),
  type: z.string(),
  subject: z.string().describe('The stream: <category>/<id>.'),
  time: z.string(),
  datacontenttype: z.literal('application/json'),
  dataschema: z.string().describe('Ends with the version of the schema of the data.'),
  data: z.unknown(),
  position: z.string().describe('Where it stands in the log.'),
  version: z.int().describe('Counted from 1 within the stream.'),
  commandid: z.string().optional(),
  causationid: z.string().optional(),
  correlationid: z.string().optional(),
  actor: actor.optional(),
});
export const position = z.string().transform((text, context): Position => {
  const parsed = parsePosition(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: `"${text.slice(0, 64)}" is no position; one looks like 1719000000000-0` });
  return z.NEVER;
});

const stream = z.custom<`${string}/${string}`>((text) => typeof text === 'string' && text.includes('/'), 'a stream looks like category/id');

/** An event of an export, to be appended again. Its position is the other log's: this log gives it a new one. */
export const importedEvent = z
  .looseObject({
    specversion: z.literal('1.0'),
    id: z.string().min(1).max(1024),
    source: z.string(),
    type: z.string().min(1).max(256),
    subject: stream,
    time: z.iso.datetime({ offset: true }),
    dataschema: z.string().regex(/:\d{1,6}$/),
    data: z.unknown(),
    position,
    version: z.int().min(1),
    commandid: z.string().optional(),
    causationid: z.string().optional(),
    correlationid: z.string().optional(),
    actor: actor.optional(),
  })
  .transform(
    ({
      specversion: _,
      datacontenttype: __,
      dataschema,
      subject,
      commandid,
      causationid,
      correlationid,
      actor,
      ...rest
    }): RecordedEvent => {
      const { id, source, type, time, data, position, version } = rest;
      return {
        id,
        source,
        type,
        stream: subject,
        time,
        schema: Number(dataschema.slice(dataschema.lastIndexOf(':') + 1)),
        data,
        position,
        version,
        ...(commandid === undefined ? {} : { commandid }),
        ...(causationid === undefined ? {} : { causationid }),
        ...(correlationid === undefined ? {} : { correlationid }),
        ...(actor === undefined ? {} : { actor }),
      };
    },
  );
