import { expect, test } from 'vitest';
import { createEmbeddedStore, createEmbeddedViewStore } from '../../adapters/embedded/index.ts';
import { counted, counting, countOf, runnerOver } from '../support/projections/index.ts';
import { systemClock } from '../support/valkey/index.ts';

// JasperFx/marten #2597: a rebuild failed when no event matched.
test.each([
  ['an empty log', 0],
  ['a log without events of its types', 20],
])('%s gives an empty view that is live, and can be rebuilt', async (_, foreign) => {
  const { events } = createEmbeddedStore({ clusterId: 'test', clock: systemClock });
  const views = createEmbeddedViewStore({ clock: systemClock });
  for (let n = 0; n < foreign; n++) await events.append(counted('a', n, {}, 'Foreign'));
  const runner = runnerOver({ events, views }, [counting()]);
  await runner.start(AbortSignal.timeout(5_000));
  await runner.waitFor('counting', await events.end(), 5_000);
  const status = await runner.rebuild('counting', { signal: AbortSignal.timeout(5_000) });
  expect(status).toMatchObject({ position: await events.end(), lag: 0, state: 'running', skipped: 0 });
  expect(await views.live('counting')).toMatchObject({ name: 'counting' });
  expect(await countOf(views)).toBe(0);
  expect(await runner.verify('counting', { signal: AbortSignal.timeout(5_000) })).toEqual({ equal: true, rows: 0, differences: [] });
  await runner.stop({ deadline: 1_000 });
});
