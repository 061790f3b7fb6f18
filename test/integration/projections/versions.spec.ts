import { expect, test } from 'vitest';
import { createEmbeddedStore, createEmbeddedViewStore } from '../../../adapters/embedded/index.ts';
import { counted, counting, countOf, runnerOver } from '../../support/projections/index.ts';
import { systemClock } from '../../support/valkey/index.ts';

function stores() {
  const { events, keeper } = createEmbeddedStore({ clusterId: 'test', clock: systemClock });
  return { events, keeper, views: createEmbeddedViewStore({ clock: systemClock }) };
}

test('a higher version is built beside the old one at the start, and readers see the old one until it is live', async () => {
  const { events, views } = stores();
  for (let n = 0; n < 500; n++) await events.append(counted('a', n));
  const first = runnerOver({ events, views }, [counting()]);
  await first.start(AbortSignal.timeout(5_000));
  await first.waitFor('counting', await events.end(), 5_000);
  await first.stop({ deadline: 1_000 });
  const old = await views.live('counting');

  const versions: unknown[] = [];
  const watching = {
    ...views,
    async makeLive(...args: Parameters<typeof views.makeLive>) {
      versions.push((await views.live('counting'))?.version, await countOf(views));
      return views.makeLive(...args);
    },
  };
  const second = runnerOver({ events, views: watching }, [counting(['Counted'], { version: 2 })]);
  await second.start(AbortSignal.timeout(5_000));
  await second.waitFor('counting', await events.end(), 5_000);
  expect(versions).toEqual([1, 500]);
  expect(await views.live('counting')).toEqual({ name: 'counting', version: 2, generation: 2 });
  expect(old).toEqual({ name: 'counting', version: 1, generation: 1 });
  expect(await countOf(views)).toBe(500);

  // The older release beside it: it leaves the newer build alone.
  const older = runnerOver({ events, views }, [counting()]);
  await older.start(AbortSignal.timeout(5_000));
  await expect(older.waitFor('counting', '9999999999999-0', 100)).rejects.toThrow();
  expect(await older.list()).toMatchObject([{ state: 'standing-by', reason: 'a newer release has built version 2 of it' }]);
  await older.stop({ deadline: 1_000 });
  await second.stop({ deadline: 1_000 });
});

test('views begin where history does when what came before is gone everywhere', async () => {
  const { events, keeper, views } = stores();
  for (let n = 0; n < 10; n++) await events.append(counted('a', n));
  const middle = await events.end();
  for (let n = 10; n < 15; n++) await events.append(counted('a', n));
  await keeper.markArchived(middle);
  await keeper.trim(middle);
  const runner = runnerOver({ events, views }, [counting()]);
  await runner.start(AbortSignal.timeout(5_000));
  await runner.waitFor('counting', await events.end(), 5_000);
  expect(await countOf(views)).toBe(5);
  await runner.stop({ deadline: 1_000 });
});

test('a projection that does not exist is an error with its name; two under one name are refused', async () => {
  const runner = runnerOver(stores(), [counting()]);
  await expect(runner.waitFor('none', '1-0', 1)).rejects.toThrow('no projection is called "none"');
  await expect(runner.rebuild('none', { signal: AbortSignal.timeout(10) })).rejects.toThrow('no projection is called "none"');
  expect(() => runnerOver(stores(), [counting(), counting()])).toThrow('two projections share a name');
});
