import { expect, test } from 'vitest';
import { createEmbeddedStore, createEmbeddedViewStore } from '../../adapters/embedded/index.ts';
import { counted, counting, countOf, runnerOver } from '../support/projections/index.ts';
import { systemClock } from '../support/valkey/index.ts';

function stores() {
  const { events } = createEmbeddedStore({ clusterId: 'test', clock: systemClock });
  return { events, views: createEmbeddedViewStore({ clock: systemClock }) };
}

// JasperFx/marten PR 1857: behind an error that stops the projection, a restart went on after the batch instead of at the event.
test('an event of a newer release stops the view before it; the newer release goes on exactly there', async () => {
  const { events, views } = stores();
  for (let n = 0; n < 7; n++) await events.append(counted('a', n));
  const before = await events.end();
  await events.append(counted('a', 7, {}, 'Counted', 2));
  await events.append(counted('a', 8));
  const older = runnerOver({ events, views }, [counting()]);
  await older.start(AbortSignal.timeout(5_000));
  await expect(older.waitFor('counting', await events.end(), 200)).rejects.toThrow('has not caught up');
  const [build] = await views.builds('counting');
  expect(build?.checkpoint).toBe(before);
  expect(await older.list()).toMatchObject([{ state: 'stopped', reason: 'an event Counted of schema 2 is not known to this release' }]);
  await older.stop({ deadline: 1_000 });

  const newer = { ...counting(), schemas: { Counted: 2 } };
  const runner = runnerOver({ events, views }, [newer]);
  await runner.start(AbortSignal.timeout(5_000));
  await runner.waitFor('counting', await events.end(), 5_000);
  expect(await countOf(views)).toBe(9);
  await runner.stop({ deadline: 1_000 });
});

test('an event that does not fit is passed over alone, with its reason, and none of its writes stay', async () => {
  const { events, views } = stores();
  const fold = (data: unknown) => {
    if (JSON.stringify(data) === '{"bad":true}') throw new TypeError('the fold met something odd');
  };
  for (let n = 0; n < 9; n++) await events.append(counted('a', n, n === 4 ? { bad: true } : {}));
  const runner = runnerOver({ events, views }, [counting(['Counted'], { fold })]);
  await runner.start(AbortSignal.timeout(5_000));
  await runner.waitFor('counting', await events.end(), 5_000);
  expect(await countOf(views)).toBe(8);
  expect(await runner.list()).toMatchObject([{ state: 'running', skipped: 1 }]);
  expect(runner.skipped()).toMatchObject([{ view: 'counting', type: 'Counted', reason: 'the fold met something odd' }]);
  await runner.stop({ deadline: 1_000 });
});
