import { StoreUnavailable } from '../../domain/errors.ts';
import { checkResourceVersion, checkStream } from '../../domain/event/index.ts';
import { type Append, type Appended, isIndexed, type Observation, type Observed } from '../../domain/ports/index.ts';
import { bucketOf } from './bucket.ts';
import { encode } from './entry.ts';
import { asList, asNumber, asPosition, asText } from './reply.ts';
import type { Argument } from './wire.ts';

export function appendArguments({ stream, events, expected, id, term }: Append): readonly Argument[] {
  checkStream(stream);
  if (events.length < 1 || events.length > 100) throw new RangeError('an append has 1 to 100 events');
  const entries = events.map((event, i) => encode(stream, `${id}/${i + 1}`, event));
  return [stream, isIndexed(stream) ? 1 : 0, expected, term ?? '', id, bucketOf(id), ...entries];
}

export function toAppended(reply: unknown): Appended {
  if (typeof reply === 'string') {
    const [position, version] = reply.split(' ');
    return { outcome: 'appended', version: asNumber(version), position: asPosition(position) };
  }
  const [outcome, number, position] = asList(reply);
  switch (outcome) {
    case 'duplicate':
      return { outcome, version: asNumber(number), position: asPosition(position) };
    case 'conflict':
      return { outcome, version: asNumber(number) };
    case 'superseded':
      return { outcome, term: asNumber(number) };
    default:
      throw StoreUnavailable({ reason: 'an answer of another shape to an append' });
  }
}

/** The seven arguments of one observation. */
export function observationArguments({ stream, uid, resourceVersion, gone, event }: Observation): readonly Argument[] {
  checkStream(stream);
  const version = checkResourceVersion(resourceVersion);
  const json = encode(stream, `${uid}/${gone ? 'gone' : version}/1`, event);
  return [stream, isIndexed(stream) ? 1 : 0, uid, version, gone ? 1 : 0, bucketOf(`gone/${uid}`), json];
}

export function toObserved(reply: unknown, count: number): readonly Observed[] {
  const [outcome, ...values] = asList(reply);
  if (outcome === 'superseded') return Array.from({ length: count }, () => ({ outcome, term: asNumber(values[0]) }));
  return Array.from({ length: count }, (_, i): Observed => {
    const position = asText(values[2 * i]);
    if (position === '') return { outcome: 'known' };
    return { outcome: 'recorded', version: asNumber(values[2 * i + 1]), position: asPosition(position) };
  });
}
