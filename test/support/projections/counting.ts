import type { Append, ViewStore } from '../../../domain/ports/index.ts';
import type { Projection } from '../../../projections/index.ts';

/** A projection that files each event of its types under its id: the number of rows is the number of events, and a doubled one shows in its value. */
export function counting(
  types: readonly string[] = ['Counted'],
  {
    name = 'counting',
    version = 1,
    fold = () => {},
  }: {
    readonly name?: string;
    readonly version?: number;
    readonly fold?: (data: unknown) => void;
  } = {},
): Projection {
  return {
    name,
    version,
    schemas: Object.fromEntries(types.map((type) => [type, 1])),
    folds: new Map(
      types.map((type) => [
        type,
        (view, event) => {
          view.put(event.id, 'event', [event.stream, event.version]);
          view.place(event.id, { all: Number(event.position.split('-')[0]) });
          fold(event.data);
        },
      ]),
    ),
  };
}

export const counted = (stream: string, n: number, data: unknown = {}, type = 'Counted', schema = 1): Append => ({
  stream: `object/test/things/_/${stream}`,
  expected: 'any',
  id: `${stream}/${n}`,
  events: [{ type, schema, time: '2026-12-01T10:00:00.000Z', data }],
});

export async function countOf(views: ViewStore, name = 'counting'): Promise<number> {
  const live = await views.live(name);
  return live ? (await views.page(live, { index: 'all', order: 'ascending', offset: 0, limit: 0 })).total : 0;
}
