import type { Clock, ViewStore } from '../../domain/ports/index.ts';

export interface TidyOptions {
  readonly views: ViewStore;
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How often is looked, and after how much time without a move a build counts as left behind by a process that is gone. In ms. */
const every = 60_000;
const abandoned = 600_000;

/** Drops builds nobody goes on with: those of rebuilds and comparisons whose process died. Former live ones leave when the store is asked for builds. */
export async function tidy({ views, names, clock, signal }: TidyOptions): Promise<void> {
  const seen = new Map<string, { readonly checkpoint: string; readonly since: number }>();
  while (!signal.aborted) {
    await clock.sleep(every, signal).catch(() => undefined);
    for (const name of names.flatMap((one) => [one, `${one}~verify`])) {
      if (signal.aborted) return;
      // The store is away: there is time.
      const builds = await views.builds(name).catch(() => []);
      for (const { view, checkpoint, live } of builds) {
        const key = `${name} ${view.version}.${view.generation}`;
        const text = JSON.stringify(checkpoint);
        const before = seen.get(key);
        if (live || before?.checkpoint !== text) seen.set(key, { checkpoint: text, since: clock.monotonic() });
        else if (clock.monotonic() - before.since > abandoned) {
          await views.drop(view).catch(() => undefined);
          seen.delete(key);
        }
      }
    }
  }
}
