import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { cloudEvent } from '../history/index.ts';
import { schemas } from './index.ts';

/**
 * Events as they lie in logs and archives, one file per type and version, and the form of now that each must come out in. A file is never
 * edited but in `current`, and that only when its type got a new version.
 */
const folder = new URL('../../test/fixtures/events/', import.meta.url);
const fixture = z.object({ stored: cloudEvent, current: z.object({ schema: z.int(), data: z.unknown() }) });
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const read = (name: string) => fixture.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')));

test.each(files)('%s still comes out in the form of now', (name) => {
  const { stored, current } = read(name);
  const now = schemas.upcast(stored);
  expect(name).toBe(`${stored.type}.v${stored.schema}.json`);
  expect({ schema: now.schema, data: now.data }).toEqual(current);
  expect(schemas.standing(now)).toBe('current');
  // Strict: what the schema does not name would be lost by a reader that parses.
  expect(schemas.types.get(stored.type)?.schema.parse(now.data)).toEqual(current.data);
});

test('every version of every type has a fixture', () => {
  const wanted = [...schemas.types].flatMap(([type, { version }]) => Array.from({ length: version }, (_, n) => `${type}.v${n + 1}.json`));
  expect(files.toSorted()).toEqual(wanted.toSorted());
});
