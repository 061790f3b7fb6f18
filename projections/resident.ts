import type { RecordedEvent } from '../domain/event/index.ts';
import { type Fold, foldsOf, type Handlers, schemas } from './projection.ts';

/** One state in the making, or the one that readers see. */
export interface ResidentState {
  fold(event: RecordedEvent): void;
  /** Takes over what `save` gave. */
  load(lines: Iterable<string>): void;
  /** The state as texts of one JSON value each, in an order that depends on the state only. */
  save(): Iterable<string>;
  /** Makes it the state that readers see: all at once, so that none sees half of it. */
  use(): void;
}

/** A view in the memory of the process, folded from a stored snapshot and the log after it. */
export interface Resident {
  readonly name: string;
  readonly version: number;
  /** Types it folds, and the newest schema understood of each. */
  readonly schemas: Readonly<Record<string, number>>;
  handles(type: string): boolean;
  /** An empty state, which nobody sees until `use`. */
  begin(): ResidentState;
}

export interface ResidentDefinition<State> {
  readonly name: string;
  readonly version: number;
  readonly initial: () => State;
  /** Handlers change the state in place: it belongs to one fold. */
  readonly on: Handlers<State>;
  readonly save: (state: State) => Iterable<string>;
  readonly load: (state: State, lines: Iterable<string>) => void;
}

/** Declares a resident view. `current` is what readers see: synchronous, never torn, empty before the first fold. */
export function residentView<State>({ name, version, initial, on, save, load }: ResidentDefinition<State>): Resident & {
  current(): State;
} {
  const folds: ReadonlyMap<string, Fold<State>> = foldsOf(on);
  let seen = initial();
  return {
    name,
    version,
    schemas,
    handles: (type) => folds.has(type),
    current: () => seen,
    begin() {
      const state = initial();
      return {
        fold: (event) => folds.get(event.type)?.(state, event),
        load: (lines) => load(state, lines),
        save: () => save(state),
        use() {
          seen = state;
        },
      };
    },
  };
}
