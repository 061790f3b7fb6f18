import { expect, test } from 'vitest';
import { z } from 'zod';
import type { RecordedEvent } from '../event/index.ts';
import { createSchemas, firstVersion } from './registry.ts';

const stored = (type: string, schema: number, data: unknown): RecordedEvent => ({
  id: 'a/0',
  source: '/clusters/test',
  type,
  schema,
  time: '2026-01-01T00:00:00.000Z',
  stream: 'parcel/1',
  version: 1,
  position: '5-0',
  data,
});

const weight = z.looseObject({ grams: z.number() });

const parcels = createSchemas({
  ParcelWeighed: {
    version: 3,
    schema: z.object({ weight, by: z.string() }),
    upcasters: [
      (data) => ({ grams: z.object({ kilos: z.number() }).parse(data).kilos * 1000 }),
      (data, { stream }) => ({ weight: data, by: `scales of ${stream}` }),
    ],
  },
  ParcelSent: firstVersion(z.object({})),
});

test('an old event goes through every version up to the one of now', () => {
  expect(parcels.upcast(stored('ParcelWeighed', 1, { kilos: 2 }))).toEqual({
    ...stored('ParcelWeighed', 3, { weight: { grams: 2000 }, by: 'scales of parcel/1' }),
  });
});

test('it enters the chain at its own version', () => {
  expect(parcels.upcast(stored('ParcelWeighed', 2, { grams: 7 })).data).toEqual({ weight: { grams: 7 }, by: 'scales of parcel/1' });
});

test('an event of the current version is handed on as it is, without a look at its data', () => {
  const event = stored('ParcelWeighed', 3, 'not even an object');
  expect(parcels.upcast(event)).toBe(event);
});

test('what is unknown or newer is handed on as it is: whoever needs it stops, whoever does not goes on', () => {
  for (const event of [stored('ParcelLost', 4, {}), stored('ParcelSent', 2, {})]) expect(parcels.upcast(event)).toBe(event);
});

test('tells how an event stands to this release', () => {
  expect([1, 3, 4].map((schema) => parcels.standing({ type: 'ParcelWeighed', schema }))).toEqual(['old', 'current', 'newer']);
  expect(parcels.standing({ type: 'ParcelLost', schema: 1 })).toBe('unknown');
});

test('a chain with a gap is refused at once, not at the first old event', () => {
  expect(() => createSchemas({ Broken: { ...firstVersion(z.object({})), version: 2 } })).toThrow('version 2 needs 1 upcasters, it has 0');
  expect(() => createSchemas({ Broken: { ...firstVersion(z.object({})), version: 0 } })).toThrow('versions are counted from 1');
});
