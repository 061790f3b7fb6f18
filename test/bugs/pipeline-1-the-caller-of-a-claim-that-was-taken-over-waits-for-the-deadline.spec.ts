import { expect, it } from 'vitest';
import { createEmbeddedStore } from '../../adapters/embedded/index.ts';
import { newSession, newWorld, pipelineOn, request } from '../support/pipeline/index.ts';
import { systemClock } from '../support/valkey/index.ts';

/** A process that was stopped longer than its claim lasts finds the outcome of another when it goes on: its own caller is answered with that at once. */
it('answers from the log as soon as its claim is found to be taken over', async () => {
  const store = createEmbeddedStore({ clusterId: 'taken-over', clock: systemClock });
  const world = newWorld();
  let taken: Promise<unknown> | undefined;
  const pipeline = pipelineOn(store.commands, world, {
    lease: 50,
    concurrency: 1,
    async probe(point, id) {
      if (point !== 'before-finish' || taken) return;
      // Meanwhile another one claims it, and is done.
      taken = (async () => {
        for (;;) {
          const [claim] = await store.commands.claim({ owner: 'two', lease: 5_000, limit: 1 });
          if (!claim) {
            await systemClock.sleep(5);
            continue;
          }
          const time = '2026-12-01T10:00:00.000Z';
          const event = { type: 'CommandSucceeded', schema: 1, time, data: { result: 'Stored by two' }, commandid: id };
          return store.commands.finish({ claim, event });
        }
      })();
      await taken;
    },
  });
  // Not renewed: started as if the process had stood still.
  const answer = await pipeline.dispatch(request('c1', 'test/put', { name: 'a', value: '1' }), {
    session: newSession(),
    signal: new AbortController().signal,
  });
  expect(answer).toEqual({ status: 'success', message: 'Stored by two', data: '' });
  await pipeline.stop({ deadline: 100 });
  store.close();
}, 4_000);
