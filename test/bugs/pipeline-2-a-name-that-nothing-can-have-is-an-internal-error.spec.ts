import { expect, it } from 'vitest';
import { createEmbeddedStore } from '../../adapters/embedded/index.ts';
import { newSession, newWorld, pipelineOn, request } from '../support/pipeline/index.ts';
import { systemClock } from '../support/valkey/index.ts';

/** Names become parts of keys. One with a line break, or of a thousand characters, is for its target to refuse. */
it.each([['line\nbreak'], ['x'.repeat(1_000)], ['\ud800']])('reaches its handler: %j', async (name) => {
  const store = createEmbeddedStore({ clusterId: 'names', clock: systemClock });
  const world = newWorld();
  const pipeline = pipelineOn(store.commands, world);
  const how = { session: newSession(), signal: new AbortController().signal };
  expect(await pipeline.dispatch(request('c1', 'test/put', { name, value: '1' }), how)).toMatchObject({ status: 'success' });
  expect(world.effects).toEqual([{ command: 'c1', name, value: '1' }]);
  await pipeline.stop({ deadline: 100 });
  store.close();
});

it('an id with a control character is refused, not an error of ours', async () => {
  const store = createEmbeddedStore({ clusterId: 'ids', clock: systemClock });
  const pipeline = pipelineOn(store.commands, newWorld());
  const how = { session: newSession(), signal: new AbortController().signal };
  expect(await pipeline.dispatch(request('a\u0000b', 'test/put', { name: 'a', value: '1' }), how)).toMatchObject({
    status: 'error',
    statusCode: 400,
    message: 'the id of a command has 1 to 512 characters, none of them a control character',
  });
  await pipeline.stop({ deadline: 100 });
  store.close();
});
