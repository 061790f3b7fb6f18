import type { z } from 'zod';
import type {
  CommandAccepted,
  CommandFailed,
  CommandStepped,
  CommandSucceeded,
  commandAbandoned,
  commandDiscarded,
  commandParked,
  commandRetried,
} from '../domain/command/index.ts';
import type { RecordedEvent } from '../domain/event/index.ts';
import type { KindListed, ObjectSeen, ObjectVanished } from '../domain/object/index.ts';
import type { ViewWrite } from '../domain/ports/index.ts';

/** What the events of the log carry, by type. All have schema 1 so far. */
export interface EventTypes {
  CommandAccepted: CommandAccepted;
  CommandStepped: CommandStepped;
  CommandSucceeded: CommandSucceeded;
  CommandFailed: CommandFailed;
  CommandAbandoned: z.infer<typeof commandAbandoned>;
  CommandParked: z.infer<typeof commandParked>;
  CommandRetried: z.infer<typeof commandRetried>;
  CommandDiscarded: z.infer<typeof commandDiscarded>;
  ObjectAppeared: ObjectSeen;
  ObjectChanged: ObjectSeen;
  ObjectVanished: ObjectVanished;
  KindListed: KindListed;
}
export type EventType = keyof EventTypes;

/** The newest schema of each type that the folds of this release understand. */
export const schemas: Readonly<Record<EventType, number>> = {
  CommandAccepted: 1,
  CommandStepped: 1,
  CommandSucceeded: 1,
  CommandFailed: 1,
  CommandAbandoned: 1,
  CommandParked: 1,
  CommandRetried: 1,
  CommandDiscarded: 1,
  ObjectAppeared: 1,
  ObjectChanged: 1,
  ObjectVanished: 1,
  KindListed: 1,
};

/** What a fold may do to its view. It collects; nothing is read and nothing waits. See `ViewWrite` for what each does. */
export interface View {
  put(key: string, part: string, value: unknown): void;
  /** As `put`, left out when the row is not there (any more). */
  add(key: string, part: string, value: unknown): void;
  place(key: string, indexes: Readonly<Record<string, number>>): void;
  /** As `add`, left out when the part is there already. */
  addOnce(key: string, part: string, value: unknown): void;
  /** As `place`, left out when the row is not there (any more). */
  move(key: string, indexes: Readonly<Record<string, number | 'same'>>): void;
  remove(key: string): void;
  cap(index: string, keep: number): void;
  expire(index: string, below: number, limit: number): void;
}

export type Fold<Target> = (target: Target, event: RecordedEvent) => void;
export type Handlers<Target> = { readonly [Type in EventType]?: (target: Target, event: RecordedEvent<Type, EventTypes[Type]>) => void };

/** A fold with a name. Raise the version when the fold or its rows change: the view is then built anew beside the old one. */
export interface Projection {
  readonly name: string;
  readonly version: number;
  /** Event type -> what it does. Events of other types are passed over. */
  readonly folds: ReadonlyMap<string, Fold<View>>;
  /** The newest schema understood, by type. */
  readonly schemas: Readonly<Record<string, number>>;
}

export interface ProjectionDefinition {
  readonly name: string;
  readonly version: number;
  readonly on: Handlers<View>;
}

export function projection({ name, version, on }: ProjectionDefinition): Projection {
  return { name, version, folds: foldsOf(on), schemas };
}

export function foldsOf<Target>(on: Handlers<Target>): ReadonlyMap<string, Fold<Target>> {
  const folds = new Map<string, Fold<Target>>();
  const bind = <Type extends EventType>(type: Type) => {
    const handler: Handlers<Target>[Type] = on[type];
    if (handler) folds.set(type, (target, event) => is(type, event) && handler(target, event));
  };
  for (const type of eventTypes) bind(type);
  return folds;
}

const isEventType = (name: string): name is EventType => Object.hasOwn(schemas, name);
const eventTypes = Object.keys(schemas).filter(isEventType);

/** Stored events are checked by type and schema version when they are read again, not by their schema: it held when they were appended. */
function is<Type extends EventType>(type: Type, event: RecordedEvent): event is RecordedEvent<Type, EventTypes[Type]> {
  return event.type === type && event.schema === schemas[type];
}

/** Collects a fold's writes. `mark` and `forget` take back those of an event whose fold threw half way. */
export interface Collector extends View {
  take(): readonly ViewWrite[];
  mark(): number;
  forget(mark: number): void;
}

export function createCollector(): Collector {
  let writes: ViewWrite[] = [];
  return {
    put: (key, part, value) => void writes.push({ op: 'put', key, part, value: JSON.stringify(value) }),
    add: (key, part, value) => void writes.push({ op: 'put', key, part, value: JSON.stringify(value), existing: true }),
    addOnce: (key, part, value) => void writes.push({ op: 'put', key, part, value: JSON.stringify(value), existing: true, once: true }),
    place: (key, indexes) => void writes.push({ op: 'place', key, indexes }),
    move: (key, indexes) => void writes.push({ op: 'place', key, indexes, existing: true }),
    remove: (key) => void writes.push({ op: 'remove', key }),
    cap: (index, keep) => void writes.push({ op: 'cap', index, keep }),
    expire: (index, below, limit) => void writes.push({ op: 'expire', index, below, limit }),
    take() {
      const taken = writes;
      writes = [];
      return taken;
    },
    mark: () => writes.length,
    forget(mark) {
      writes.length = mark;
    },
  };
}
