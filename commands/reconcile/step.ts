import type { Clock, Cluster, Directory, ObjectRef, ResourceKind, StoredObject } from '../../domain/ports/index.ts';

/** What a step found, as a condition says it. */
interface Finding {
  readonly reason: string;
  readonly message: string;
}

/**
 * `done` it is as it should be; `wrong` it is not, and the steps after it are still looked at; `unknown` it could not be told, tried again;
 * `waiting` something named must come first; `stalled` a person or a new generation must come. The last two end the pass.
 */
export type StepResult = ({ readonly type: 'done' | 'wrong' | 'unknown' | 'waiting' | 'stalled' } & Finding) | { readonly type: 'nothing' };

const result =
  (type: 'done' | 'wrong' | 'unknown' | 'waiting' | 'stalled') =>
  (reason: string, message: string): StepResult => ({ type, reason, message });

export const done = result('done');
export const wrong = result('wrong');
export const unknown = result('unknown');
export const waiting = result('waiting');
export const stalled = result('stalled');

/** What a step may use. Writes go through `cluster`, which refuses them once the lead is lost. */
export interface StepContext {
  readonly object: StoredObject;
  readonly cluster: Cluster;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly ownNamespace: string;
  readonly signal: AbortSignal;
  /** Notes what was done to the world, for the log: `created rolebinding shop/x`. */
  acted(what: string): void;
}

export interface Step {
  /** The condition it sets; also the name under which a failure is told. */
  readonly condition: string;
  ensure(context: StepContext): Promise<StepResult> | StepResult;
}

export const step = (condition: string, ensure: Step['ensure']): Step => ({ condition, ensure });

/** An object whose change means that others must be looked at. */
export interface Trigger {
  readonly kind: ResourceKind;
  /** The objects to look at when `changed` came, went or changed. */
  affects(changed: ObjectRef, directory: Directory, ownNamespace: string): readonly ObjectRef[];
}

export interface Reconciler {
  readonly kind: ResourceKind;
  readonly steps: readonly Step[];
  /** Whether the kind has a status subresource with conditions to write. */
  readonly writesConditions: boolean;
  readonly triggers: readonly Trigger[];
  /** What is left to do when the object is gone. */
  gone?(context: StepContext): Promise<void>;
  /** What is left to do for objects that went while nobody led; runs once per lead. */
  leftovers?(context: Omit<StepContext, 'object'>): Promise<void>;
}

/** Declares a reconciler: a kind and the ordered list of things that must hold for an object of it. */
export const reconciler = (
  kind: ResourceKind,
  steps: readonly Step[],
  more: Partial<Omit<Reconciler, 'kind' | 'steps'>> = {},
): Reconciler => ({ kind, steps, writesConditions: false, triggers: [], ...more });
