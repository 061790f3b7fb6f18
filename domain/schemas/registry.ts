import type { z } from 'zod';
import type { RecordedEvent } from '../event/index.ts';

/** Makes version n+1 of an event's data from version n. Pure: the same input gives the same output in every release that knows it. */
export type Upcaster = (data: unknown, event: RecordedEvent) => unknown;

/** One type of event: its schema now, and the way from every version that was ever written. */
export interface EventType {
  readonly schema: z.ZodType;
  /** Counted from 1. */
  readonly version: number;
  /** `upcasters[0]` leads from version 1 to 2, and so on: exactly `version - 1` of them. */
  readonly upcasters: readonly Upcaster[];
}

/** A type that has only ever had one version. */
export const firstVersion = (schema: z.ZodType): EventType => ({ schema, version: 1, upcasters: [] });

export interface Schemas {
  readonly types: ReadonlyMap<string, EventType>;
  /**
   * The event in its type's current version. Of an unknown type, or of a version of a newer release, the event is given as it is: only a
   * reader that needs this type must stop there (`EventUnknown`); one that doesn't must not be stopped by what it never looks at.
   * The data is not checked against the schema: that was done before it was appended, and would make every replay several times slower.
   */
  upcast(event: RecordedEvent): RecordedEvent;
  /** Whether the event's data may be read by this release as its type's schema says. */
  standing(event: Pick<RecordedEvent, 'type' | 'schema'>): 'current' | 'old' | 'newer' | 'unknown';
}

/** Throws when a type's versions have a gap: an old event would reach a reader in a form it doesn't know. */
export function createSchemas(types: Readonly<Record<string, EventType>>): Schemas {
  const known = new Map(Object.entries(types));
  for (const [type, { version, upcasters }] of known) {
    if (!Number.isInteger(version) || version < 1) throw new TypeError(`${type}: versions are counted from 1`);
    if (upcasters.length !== version - 1) {
      throw new TypeError(`${type}: version ${version} needs ${version - 1} upcasters, it has ${upcasters.length}`);
    }
  }
  const standing: Schemas['standing'] = ({ type, schema }) => {
    const current = known.get(type)?.version;
    if (current === undefined) return 'unknown';
    return schema === current ? 'current' : schema > current ? 'newer' : 'old';
  };
  return {
    types: known,
    standing,
    upcast(event) {
      const type = known.get(event.type);
      if (!type || event.schema >= type.version) return event;
      let data = event.data;
      for (const up of type.upcasters.slice(event.schema - 1)) data = up(data, event);
      return { ...event, schema: type.version, data };
    },
  };
}
