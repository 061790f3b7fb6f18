import { describe, expect, test } from 'vitest';
import { origin } from '../../domain/event/index.ts';
import { events, type OpenStore, valkeyStore } from '../support/stores/index.ts';
import { noValkey } from '../support/valkey/index.ts';

describe.skipIf(noValkey)('JasperFx/marten #4952', () => {
  const open: OpenStore = valkeyStore();

  test('50 writers, 100 rounds: two readers of different batches see every event once', async () => {
    const store = await open();
    const other = await store.again();
    const total = 50 * 100;
    const read = async (batch: number) => {
      const stop = new AbortController();
      const ids: string[] = [];
      for await (const some of store.events.log(origin, { follow: stop.signal, batch })) {
        ids.push(...some.map(({ id }) => id));
        if (ids.length >= total) stop.abort();
      }
      return ids;
    };
    const readers = [read(7), read(250)];
    for (let round = 0; round < 100; round++) {
      await Promise.all(
        Array.from({ length: 50 }, (_, writer) =>
          (writer % 2 ? store : other).events.append({
            stream: `task/${writer}`,
            events: events('a'),
            expected: round,
            id: `${writer}-${round}`,
          }),
        ),
      );
    }
    const [small, large] = await Promise.all(readers);
    expect(small).toHaveLength(total);
    expect(new Set(small).size).toBe(total);
    expect(large).toEqual(small);
    expect(await store.events.extent()).toMatchObject({ events: total });
  });
});
