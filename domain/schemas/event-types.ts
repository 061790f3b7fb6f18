import { commandEvents } from '../command/index.ts';
import { objectEvents } from '../object/index.ts';
import { reconcileEvents } from '../reconcile/index.ts';
import { createSchemas, type EventType, firstVersion } from './registry.ts';

const all = { ...commandEvents, ...objectEvents, ...reconcileEvents };

/**
 * Every type of event this release writes. To change a type: raise its version, write the upcaster from the version before, and add a fixture
 * of the new version. Fixtures are never edited: they stand for events that lie in somebody's log.
 */
export const eventTypes: Readonly<Record<string, EventType>> = Object.fromEntries(
  Object.entries(all).map(([type, schema]) => [type, firstVersion(schema)]),
);

export const schemas = createSchemas(eventTypes);
